import { RecoveryAbortedError } from "../errors.ts";

/** The longest work at a stretch, in milliseconds: in between the host can draw, answer, and hear that it should stop. */
const STRETCH_MS = 10;

/** Keeps long work interruptible. One for each call of a tool. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #restAtMs = Date.now() + STRETCH_MS;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to {@link rest}. Cheap: ask it between any two small pieces of work. */
  get isRestDue(): boolean {
    return Date.now() >= this.#restAtMs;
  }

  /** Lets everything else run first. Throws {@link RecoveryAbortedError} once the call was stopped. */
  async rest(): Promise<void> {
    this.check();
    await new Promise((resolve) => setImmediate(resolve));
    this.check();
    this.#restAtMs = Date.now() + STRETCH_MS;
  }

  /** Throws {@link RecoveryAbortedError} once the call was stopped. */
  check(): void {
    if (!this.#signal?.aborted) return;
    throw new RecoveryAbortedError(
      "This call was stopped before it ended, and gave nothing back. Make it again.",
    );
  }
}
