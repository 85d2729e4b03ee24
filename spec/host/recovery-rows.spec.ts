/** What a user sees of the recovery tools in the interactive Pi: one calm line, and the list when expanded. */
import { expect } from "chai";
import { HOSTS } from "../support/pi-hosts.ts";
import { calling, type RecallSteps, recallOn } from "../support/recalling-model.ts";
import { skipWhere } from "../support/skip.ts";
import { Stage } from "../support/stage.ts";
import { tuiObstacle } from "../support/tui-session.ts";

const EXPAND = "\u000f";

const STEPS: RecallSteps = [
  () => calling({ name: "search_history", args: { query: "needle" } }),
  () => calling({ name: "load_history", args: { historyIds: ["nowhere"] } }),
  () => ({ text: "Both are done." }),
];

for (const host of HOSTS) {
  describe(`rows of the recovery tools in the ${host.name} Pi`, () => {
    let stage: Stage;

    before(function () {
      skipWhere(this, tuiObstacle());
    });
    beforeEach(async () => {
      stage = await Stage.open({ script: recallOn("RECALL", STEPS, { text: "Answered." }) });
    });
    afterEach(() => stage?.close());

    it("a search is one line with its hits, an error one line with its text; both unfold", async () => {
      const tui = stage.tui(host);
      await tui.waitFor("paging on");
      await tui.submit("The needle is here.");
      await tui.waitFor("Answered.");
      await tui.submit("RECALL what you know.");
      const folded = await tui.waitFor("Both are done.");
      expect(folded).to.match(/^ *search_history “needle” - 1 hit *$/m);
      expect(folded).to.match(/^ *load_history nowhere - UNKNOWN_HISTORY_ID: This branch has no/m);
      expect(folded).not.to.contain("#0 user");
      expect(folded).not.to.contain("references");
      tui.type(EXPAND);
      const unfolded = await tui.waitFor("#0 user");
      expect(unfolded).to.match(/#0 user [0-9a-f]+ {2}The needle is here\./);
      expect(unfolded).to.contain("Take a historyId from search_history or browse_history.");
    });
  });
}
