/** Random sessions, played as Pi would: a turn starts, responses call tools, the run ends in one of several ways. */
import fc from "fast-check";
import { type BranchBuilder, branch } from "./branch-builder.ts";

interface Step {
  readonly calls: number;
  readonly tokens: number;
  /** What comes with the results: steering or custom messages behind them, or a custom message among them. */
  readonly extra: "none" | "steer" | "custom" | "customSteer" | "inside";
}

interface Turn {
  readonly start: "user" | "custom";
  readonly tokens: number;
  readonly hints: number;
  readonly steps: readonly Step[];
  readonly end: "final" | "aborted" | "error" | "killed" | "retried";
  readonly after: "none" | "bash" | "summary" | "note";
}

const tokens = fc.integer({ min: 1, max: 400 });

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.integer({ min: 1, max: 3 }),
  tokens,
  extra: fc.constantFrom("none", "none", "none", "steer", "custom", "customSteer", "inside"),
});

const turn: fc.Arbitrary<Turn> = fc.record({
  start: fc.constantFrom("user", "user", "custom"),
  tokens,
  hints: fc.integer({ min: 0, max: 2 }),
  steps: fc.array(step, { maxLength: 5 }),
  end: fc.constantFrom("final", "final", "final", "aborted", "error", "killed", "retried"),
  after: fc.constantFrom("none", "none", "bash", "summary", "note"),
});

/** A whole session. */
export const sessions: fc.Arbitrary<readonly Turn[]> = fc.array(turn, { minLength: 1, maxLength: 8 });

/** What a request is about: labels of messages that must not be missing in it. */
export interface Due {
  /** The message that started the turn, its custom messages, and the steering since. */
  readonly request: readonly string[];
  /** The newest response and its results, as long as the model has not answered them. */
  readonly unread: readonly string[];
}

/** Plays a session and tells where Pi asks for a request. Every message has a label of its own. */
export function play(turns: readonly Turn[], onRequest: (building: BranchBuilder, due: Due) => void): void {
  new Player(onRequest).play(turns);
}

class Player {
  readonly #building = branch();
  readonly #onRequest: (building: BranchBuilder, due: Due) => void;
  #labels = 0;
  #calls = 0;
  #request: string[] = [];
  #unread: readonly string[] = [];

  constructor(onRequest: (building: BranchBuilder, due: Due) => void) {
    this.#onRequest = onRequest;
  }

  play(turns: readonly Turn[]): void {
    let wasKilled = false;
    for (const turn of turns) {
      this.#start(turn, wasKilled);
      for (const step of turn.steps) this.#exchange(step);
      this.#end(turn);
      wasKilled = turn.end === "killed";
      this.#after(turn, wasKilled);
    }
  }

  /** After a killed run only the user can go on. */
  #start({ start, tokens: cost, hints }: Turn, mustBeUser: boolean): void {
    this.#request = [];
    this.#unread = [];
    const text = this.#text(cost, this.#request);
    if (start === "user" || mustBeUser) this.#building.user(text);
    else this.#building.custom(text, "job");
    for (let n = 0; n < hints; n++) this.#building.custom(this.#text(3, this.#request), "hint");
    this.#ask();
  }

  #exchange({ calls, tokens: cost, extra }: Step): void {
    const unread: string[] = [];
    this.#building.assistant({ text: this.#text(5, unread), calls: this.#callDrafts(calls) });
    for (let n = 0; n < calls; n++) {
      if (n === 1 && extra === "inside") this.#building.custom(this.#text(4), "inside");
      this.#building.result(this.#text(cost, unread));
    }
    if (extra === "custom" || extra === "customSteer") this.#building.custom(this.#text(6), "behind");
    if (extra === "steer" || extra === "customSteer") this.#building.user(this.#text(7, this.#request));
    this.#unread = unread;
    this.#ask();
  }

  #end({ end, tokens: cost }: Turn): void {
    const building = this.#building;
    switch (end) {
      case "final":
        building.assistant({ text: this.#text(cost) });
        return;
      case "killed":
        building.assistant({ text: this.#text(5), calls: this.#callDrafts(2) }).result(this.#text(cost));
        return;
      case "retried":
        building.assistant({ text: this.#text(5), stopReason: "error" });
        building.contextEdit(building.leafId);
        this.#ask();
        building.assistant({ text: this.#text(cost) });
        return;
      default:
        building.assistant({ text: this.#text(5), calls: this.#callDrafts(2), stopReason: end });
        building.result(this.#text(cost));
    }
  }

  #after({ after, tokens: cost }: Turn, wasKilled: boolean): void {
    if (after === "bash") this.#building.bash(this.#text(cost), "out");
    if (after === "summary") this.#building.branchSummary(this.#text(cost), "x");
    if (after === "note" && !wasKilled) this.#building.custom(this.#text(cost), "note");
  }

  #ask(): void {
    this.#onRequest(this.#building, { request: [...this.#request], unread: this.#unread });
  }

  #text(cost: number, list?: string[]): string {
    const label = `m${this.#labels++}`;
    list?.push(label);
    return `${label} #${cost}`;
  }

  #callDrafts(count: number): { name: string; id: string }[] {
    return Array.from({ length: count }, () => ({ name: "read", id: `c${this.#calls++ % 7}` }));
  }
}
