/** `options.strategies`: contract of the package. */
import { expect } from "chai";
import {
  EvictionStrategy,
  FallbackStrategy,
  type FallbackView,
  SnapStrategy,
  type WindowView,
} from "../../lib/strategies/index.ts";
import { PagingScene } from "../support/paging-scene.ts";

class Everything extends EvictionStrategy {
  override readonly name = "everything";

  protected override place(view: WindowView): number {
    return view.units.length;
  }
}

class Nowhere extends SnapStrategy {
  override readonly name = "nowhere";

  protected override place(): undefined {
    return undefined;
  }
}

class Recording extends FallbackStrategy {
  override readonly name = "recording";
  readonly causes: string[] = [];

  protected override place(view: FallbackView): number {
    this.causes.push(view.cause);
    return view.units.length;
  }
}

describe("options.strategies", () => {
  it("swaps the eviction: nothing but the prompt stays", async () => {
    const scene = await PagingScene.open({ strategies: { eviction: new Everything() } });
    expect((await scene.cut()).messages.map(({ role }) => role)).to.deep.equal(["user", "user"]);
  });

  it("swaps snap and fallback", async () => {
    const fallback = new Recording();
    const scene = await PagingScene.open({ strategies: { snap: new Nowhere(), fallback } });
    expect((await scene.cut()).messages).to.have.length(2);
    expect(fallback.causes).to.deep.equal(["keyless-no-key"]);
    await scene.request();
    expect(fallback.causes, "no cut was remembered").to.have.length(2);
  });

  it("keeps the defaults of what is not given", async () => {
    const scene = await PagingScene.open({ strategies: {} });
    const sent = await scene.cut();
    expect(sent.messages.length).to.be.greaterThan(10);
    expect((await scene.request()).noticeTime).to.equal(sent.noticeTime);
  });
});
