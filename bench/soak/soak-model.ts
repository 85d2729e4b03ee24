import type { ModelStep, ScriptedCall } from "../../spec/support/model-step.ts";
import { answerTo } from "../../spec/support/scripts.ts";
import { isSummaryRequest, type WireBody } from "../../spec/support/wire.ts";
import type { Incident } from "./incidents.ts";

const OVERLOADED = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
const TOO_LONG = {
  type: "error",
  error: { type: "invalid_request_error", message: "prompt is too long: 13000 tokens > 12000 maximum" },
};

/** The mock model of a soak run: works on each prompt in some rounds of parallel calls, then answers it. */
export class SoakModel {
  #prompt = "";
  #incident: Incident = "parallel calls";
  #rounds = 0;
  #requests = 0;

  begin(prompt: string, incident: Incident, rounds: number): void {
    this.#prompt = prompt;
    this.#incident = incident;
    this.#rounds = rounds;
    this.#requests = 0;
  }

  /** How many requests the prompt has caused so far. */
  get requests(): number {
    return this.#requests;
  }

  step(body: WireBody): ModelStep {
    if (isSummaryRequest(body)) return { text: "They worked on notes, one day after the other." };
    this.#requests += 1;
    const isFirstAfterCalls = this.#requests === 2;
    if (this.#incident === "provider error" && isFirstAfterCalls) return { status: 529, error: OVERLOADED };
    if (this.#incident === "overflow" && isFirstAfterCalls) return { status: 400, error: TOO_LONG };
    if (this.#incident === "abort in an answer" && isFirstAfterCalls) return { fault: "hang" };
    if (this.#requests > this.#rounds) return { text: answerTo(this.#prompt) };
    return { text: "I work on it.", calls: this.#calls() };
  }

  #calls(): ScriptedCall[] {
    const bash = { name: "bash", args: { command: this.#command } };
    if (this.#incident === "failing tools") return [{ name: "read", args: { path: "missing.txt" } }, bash];
    if (this.#incident === "recovery tools") {
      return [
        { name: "search_history", args: { query: "notes" } },
        { name: "browse_history", args: {} },
        bash,
      ];
    }
    return [{ name: "read", args: { path: "notes.txt" } }, bash];
  }

  get #command(): string {
    switch (this.#incident) {
      case "failing tools":
        return "echo some output; exit 3";
      case "steering":
        return "sleep 0.1; echo finished";
      case "abort in a tool":
        return "sleep 20";
      default:
        return "cat more.txt";
    }
  }
}
