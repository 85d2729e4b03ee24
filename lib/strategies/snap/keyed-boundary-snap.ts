import { SnapStrategy, type SnapView } from "./snap-strategy.ts";

/** Back to the last excluded unit with a key: the keyless units behind it stay in the request. The default. */
export class KeyedBoundarySnap extends SnapStrategy {
  override readonly name: string = "keyed-boundary";

  protected override place(view: SnapView): number | undefined {
    for (let boundary = view.boundary; boundary > 0; boundary--) {
      if (view.units[boundary - 1]?.keyed) return boundary;
    }
    return undefined;
  }
}
