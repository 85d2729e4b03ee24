import { expect } from "chai";
import fc from "fast-check";
import { ContextSelectionError } from "../../lib/errors.ts";
import type { AgentMessage } from "../../lib/messages.ts";
import { PartsReader } from "../../lib/paging/parts-reader.ts";
import { Provenance } from "../../lib/paging/provenance.ts";
import { BranchProjection } from "../../lib/session/branch-projection.ts";
import { branch } from "../support/branch-builder.ts";
import { labelOf } from "../support/labels.ts";
import { changed, changes } from "../support/other-extension.ts";
import { piMessages } from "../support/paging-session.ts";
import { seededRuns } from "../support/property-runs.ts";
import { play, sessions } from "../support/random-session.ts";
import { exchanges, turns } from "../support/talk.ts";

/** What a reader makes of a request: its parts, or the code of its error. */
function read(reader: PartsReader, messages: AgentMessage[], provenance: Provenance): unknown {
  try {
    return reader.read(messages, provenance);
  } catch (error) {
    if (!(error instanceof ContextSelectionError)) throw error;
    return error.code;
  }
}

/** A reader that has read requests before, and a fresh one for each. */
function comparing() {
  const projection = new BranchProjection();
  const reader = new PartsReader();
  return ({ path }: Pick<ReturnType<typeof branch>, "path">, messages = piMessages(path)) => {
    projection.update(path);
    const provenance = Provenance.trace(messages, projection.session.messages, "none");
    const parts = read(reader, messages, provenance);
    expect(parts).to.deep.equal(read(new PartsReader(), messages, provenance));
    return parts;
  };
}

const aborted = (label: string) => (messages: AgentMessage[]) =>
  messages.map((message) =>
    message.role === "assistant" && labelOf(message) === label
      ? { ...message, stopReason: "aborted" as const }
      : message,
  );

describe("PartsReader", () => {
  it("reads a request as a new reader does when another extension turns a response into an interrupted one", () => {
    const compare = comparing();
    const building = exchanges(turns(branch(), 1, 2).user("u3"), 3, 4);
    compare(building);
    compare(building, aborted("a3")(piMessages(building.path)));
    compare(building);
  });

  it("reads a request as a new reader does after one that was damaged", () => {
    const compare = comparing();
    const building = exchanges(turns(branch(), 1, 2).user("u3"), 3, 4);
    compare(building);
    expect(compare(building, piMessages(building.path).toSpliced(5, 1))).to.equal(
      "INVALID_MESSAGE_STRUCTURE",
    );
    compare(building.user("steer"));
  });

  it("takes over the parts of what did not change", () => {
    const projection = new BranchProjection();
    const reader = new PartsReader();
    const building = exchanges(branch().user("u1"), 1, 2);
    const parts = () => {
      projection.update(building.path);
      const messages = piMessages(building.path);
      return reader.read(messages, Provenance.trace(messages, projection.session.messages, "none"));
    };
    const before = parts();
    expect(exchanges(building, 3, 3) && parts()[1]).to.equal(before[1]);
  });

  for (const { title, ...parameters } of seededRuns(120)) {
    it(`reads every request of a random session as a new reader does, also what other extensions changed (${title})`, () => {
      fc.assert(
        fc.property(sessions, fc.array(changes, { minLength: 1, maxLength: 4 }), (session, edits) => {
          const compare = comparing();
          let request = 0;
          play(session, (building) => {
            const edit = edits[request++ % edits.length] ?? [];
            compare(building, edit.reduce(changed, piMessages(building.path)));
          });
        }),
        parameters,
      );
    }).timeout(30_000);
  }
});
