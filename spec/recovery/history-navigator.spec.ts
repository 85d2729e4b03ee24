import { expect } from "chai";
import type { HistoryNavigator } from "../../lib/recovery/history-navigator.ts";
import { HistoryNavigator as Navigator } from "../../lib/recovery/history-navigator.ts";
import type { BrowseInput, SearchInput } from "../../lib/recovery/inputs.ts";
import type { HistoryItem } from "../../lib/session/history-item.ts";
import { TokenEstimator } from "../../lib/usage/token-estimator.ts";
import { branch } from "../support/branch-builder.ts";
import { codeOf, itemsOf, navigatorOf, projectionOf, rejectionOf, WIDE } from "../support/history.ts";
import { prose } from "../support/prose.ts";
import { PIXEL } from "../support/session-shapes.ts";

const previews = async (navigator: HistoryNavigator, input: SearchInput) =>
  (await navigator.search(input, WIDE)).references.map(({ preview }) => preview);

/** Users that say these texts, in order. */
const saying = (...texts: string[]) =>
  navigatorOf(texts.reduce((building, text) => building.user(text), branch()).entries);

describe("HistoryNavigator.search", () => {
  it("any term may match; more and rarer terms rank higher", async () => {
    const navigator = saying(
      "alpha",
      "alpha beta",
      "alpha gamma",
      "alpha",
      "delta",
      "alpha gamma beta",
      "gamma",
    );
    const { references, total } = await navigator.search({ query: "alpha beta gamma", limit: 10 }, WIDE);
    expect(total).to.equal(6);
    expect(references.map(({ preview }) => preview).slice(0, 2)).to.deep.equal([
      "alpha gamma beta",
      "alpha beta",
    ]);
    expect(references.map(({ preview }) => preview).slice(-2)).to.deep.equal(["alpha", "alpha"]);
  });

  it("the phrase as written ranks before its scattered words", async () => {
    const navigator = saying(
      "the cut is stable and the frontier holds",
      "a stable cut",
      "stable, then a cut: stable cut!",
    );
    expect((await previews(navigator, { query: "a stable cut" }))[0]).to.equal("a stable cut");
  });

  it("the phrase as written is found behind any number of items with the same words", async () => {
    const seeming = Array.from({ length: 100 }, (_, n) => `open turn.ts and more ${n}`);
    expect(
      (await previews(saying("in open-turn.ts and more", ...seeming), { query: "open-turn.ts and" }))[0],
    ).to.equal("in open-turn.ts and more");
  });

  it("case does not count, and words of an identifier are found however it is written", async () => {
    const texts = [
      "new SessionManager()",
      "session_manager = 1",
      "the session-manager.ts",
      "SESSION MANAGER",
    ];
    for (const text of texts) {
      expect(await previews(saying("other", text), { query: "session manager" }), text).to.deep.equal([text]);
      const others = ["a session", "its manager", text];
      expect(await previews(saying(...others), { query: "SessionManager" }), text).to.deep.equal([text]);
    }
  });

  it("many items that only seem to hold a word do not hide the one that does", async () => {
    const seeming = Array.from({ length: 300 }, (_, n) => `session manager ${n}`);
    expect(
      await previews(saying("the sessionmanager", ...seeming), { query: "sessionmanager" }),
    ).to.deep.equal(["the sessionmanager"]);
  });

  it("parts of paths, error lines and substrings inside a word are found", async () => {
    const text = "lib/paging/budget-policy.ts(12,3): error TS2304: Cannot find name 'priceOfMessage'.";
    for (const query of ["paging/budget", "budget-policy", "TS2304: Cannot find name", "iceOfMess", "12,3"]) {
      expect(await previews(saying("something else", text), { query }), query).to.have.length(1);
    }
  });

  it("Chinese, Japanese and Korean are found without spaces, from one character on", async () => {
    const texts = [
      "今天我们访问文件系统时出错了",
      "昨日のテストは失敗しました",
      "어제테스트가실패했습니다",
      "plain",
    ];
    const cases: readonly (readonly [query: string, index: number])[] = [
      ["文件", 0],
      ["错", 0],
      ["文件系统", 0],
      ["テスト", 1],
      ["失敗", 1],
      ["테스트", 2],
      ["실패", 2],
    ];
    for (const [query, index] of cases) {
      expect((await previews(saying(...texts), { query }))[0], query).to.equal(texts[index]);
    }
    expect((await previews(saying(...texts), { query: "访问和文件" }))[0]).to.equal(texts[0]);
  });

  it("emoji and letters of other scripts are found, case aside", async () => {
    const texts = ["done 👩‍👩‍👧 well", "ПРОВЕРКА связи", "Überprüfung", "plain"];
    for (const [query, index] of [
      ["👩‍👩‍👧", 0],
      ["проверка", 1],
      ["überPRÜFUNG", 2],
    ] as const) {
      expect(await previews(saying(...texts), { query }), query).to.deep.equal([texts[index]]);
    }
  });

  it("spelling is relaxed only on no hit at all", async () => {
    const navigator = saying("the frontier moved", "a navigator reads", "compaction");
    expect(await previews(navigator, { query: "navgator" })).to.deep.equal(["a navigator reads"]);
    expect(await previews(navigator, { query: "frontire" })).to.deep.equal(["the frontier moved"]);
    expect(await previews(navigator, { query: "compactoin frontier" })).to.deep.equal(["the frontier moved"]);
    expect(await navigator.search({ query: "entirely absent zebra" }, WIDE)).to.deep.include({
      references: [],
      total: 0,
    });
  });

  it("an empty query lists the newest items that pass the filters", async () => {
    const navigator = navigatorOf(
      branch()
        .user("one")
        .turn("two", [{ name: "read", args: { path: "a.ts" } }], "r")
        .user("three").entries,
    );
    expect(await previews(navigator, { query: " ", limit: 2 })).to.deep.equal(["three", "Done."]);
    const filtered = await navigator.search({ query: "", tools: ["read"] }, WIDE);
    expect(filtered.references.map(({ tools }) => tools)).to.deep.equal([["read"]]);
    expect(filtered.total).to.equal(1);
  });

  it("files match a whole path or its trailing segments; tools match names; failed selects", async () => {
    const reading = (path: string) => [{ name: "read", args: { path } }];
    const navigator = navigatorOf(
      branch()
        .assistant({ calls: reading("/home/x/lib/session/open-turn.ts") })
        .results("needle")
        .assistant({ calls: [{ name: "bash", args: { command: "cat lib/session/open-turn.ts" } }] })
        .result({ text: "needle", isError: true })
        .user("needle").entries,
    );
    const sequences = async (input: Omit<SearchInput, "query">) =>
      (await navigator.search({ query: "needle", ...input }, WIDE)).references
        .map(({ sequence }) => sequence)
        .sort();
    for (const file of [
      "/home/x/lib/session/open-turn.ts",
      "open-turn.ts",
      "session/open-turn.ts",
      "Session\\open-turn.ts",
    ]) {
      expect(await sequences({ files: [file] }), file).to.deep.equal([0]);
    }
    expect(await sequences({ files: ["turn.ts"] })).to.deep.equal([]);
    expect(await sequences({ tools: ["bash", "grep"] })).to.deep.equal([1]);
    expect(await sequences({ failed: true })).to.deep.equal([1]);
    expect(await sequences({ failed: false })).to.deep.equal([0, 2]);
  });

  it("a match is ready for read_context_output, with the offset in the JSON text", async () => {
    const built = branch()
      .user('say "needle-u"')
      .assistant({
        thinking: "hm",
        text: "text",
        calls: [{ name: "text", args: { a: "text", b: ["\n", 'x"needle-a'] } }],
      })
      .result({
        content: [
          { type: "text", text: "text" },
          { type: "text", text: "\u0007🙂 needle-r" },
        ],
      })
      .bash("echo", "needle-b")
      .custom("needle-c");
    const items = itemsOf(built.entries);
    const cases = {
      "needle-u": [{ source: "user" }, items[0]?.kind === "user" && items[0].message],
      "needle-a": [
        { source: "assistant", contentIndex: 2 },
        items[1]?.kind === "modelTurn" && items[1].assistant.content[2],
      ],
      "needle-r": [
        { source: "toolResult", toolCallId: "call-1" },
        items[1]?.kind === "modelTurn" && items[1].toolResults[0],
      ],
      "needle-b": [{ source: "context" }, items[2]?.kind === "context" && items[2].message],
      "needle-c": [{ source: "context" }, items[3]?.kind === "context" && items[3].message],
    } as const;
    for (const [query, [address, value]] of Object.entries(cases)) {
      const [reference] = (await navigatorOf(built.entries).search({ query }, WIDE)).references;
      const { offset = -1, ...where } = reference?.match ?? {};
      expect(where, query).to.deep.equal(address);
      expect(JSON.stringify(value).slice(offset), query).to.match(new RegExp(`^${query}`));
    }
  });

  it("a reference has metadata, neighbours and whether the latest request carried it", async () => {
    const built = branch()
      .user("one")
      .turn("two", [{ name: "read", args: { path: "a.ts" } }], "needle");
    const [reference] = (
      await navigatorOf(built.entries).search(
        { query: "needle" },
        { ...WIDE, inWindow: (item) => item.kind === "modelTurn" },
      )
    ).references;
    expect(reference).to.deep.equal({
      historyId: "00000003",
      sequence: 2,
      kind: "modelTurn",
      timestamp: "2026-01-05T09:00:02.000Z",
      preview: "needle",
      tools: ["read"],
      files: ["a.ts"],
      failed: false,
      inWindow: true,
      previousHistoryId: "00000002",
      nextHistoryId: "00000005",
      match: { source: "toolResult", toolCallId: "call-1", offset: reference?.match?.offset },
    });
  });

  it("what the window still holds counts half, so a question does not hide its answer", async () => {
    const navigator = saying("the launch code is 7", "what is the launch code?");
    const inWindow = (item: { readonly historyId: string }) => item.historyId === "00000002";
    const { references } = await navigator.search({ query: "launch code" }, { ...WIDE, inWindow });
    expect(references.map((reference) => reference.inWindow)).to.deep.equal([false, true]);
  });

  it("a preview has at most 160 characters around the match, on one line, and splits no character", async () => {
    const text = `${"🙂".repeat(300)}\r\n\u0007needle \ud83d${"🙂".repeat(300)}`;
    const [preview = ""] = await previews(saying(text), { query: "needle" });
    expect(preview.length).to.be.at.most(160);
    expect(preview)
      .to.match(/needle/)
      .and.not.match(/[\p{Cs}\p{Cc}]/u);
    expect((await previews(saying("  start\n of it ", "x"), { query: "" }))[1]).to.equal("start of it");
  });

  it("recovery output is never found, also where another tool made the call", async () => {
    const built = branch()
      .assistant({ calls: [{ name: "search_history" }] })
      .results("needle")
      .assistant({ calls: [{ name: "read" }, { name: "load_history" }] })
      .results("needle")
      .assistant({ calls: [{ name: "codemode" }] })
      .result({
        text: "needle",
        nestedCalls: { complete: true, calls: [{ id: "n", name: "load_history", status: "ok" }] },
      });
    const { references, total } = await navigatorOf(built.entries).search({ query: "needle" }, WIDE);
    expect(total).to.equal(1);
    expect(references[0]?.match).to.include({ toolCallId: "call-2" });
  });

  it("with load the first three come loaded", async () => {
    const reply = await saying("needle 1", "needle 2", "needle 3", "needle 4").search(
      { query: "needle", load: true },
      WIDE,
    );
    expect(reply.references).to.have.length(4);
    expect(reply.items).to.have.length(3);
    expect(reply.items?.[0]).to.deep.include({ historyId: reply.references[0]?.historyId });
  });

  it("compact replies stay within 8 000 characters: long lists are cut, with a count", async () => {
    const files = Array.from({ length: 300 }, (_, n) => `lib/some/folder/with/a/long/name/file-${n}.ts`);
    const built = branch();
    for (let n = 0; n < 10; n++) {
      const calls = [
        { name: "edit", id: `${"i".repeat(300)}${n}`, args: { files } },
        ...files.slice(0, 40).map((name) => ({ name })),
      ];
      built.assistant({ calls }).results('"\u0001\\needle"'.repeat(100));
    }
    const navigator = navigatorOf(built.entries);
    const found = await navigator.search({ query: "needle", limit: 10 }, WIDE);
    const browsed = navigator.browse({ direction: "backward", count: 10 }, WIDE);
    for (const references of [found.references, browsed.references]) {
      expect(references).to.have.length(10);
      expect(JSON.stringify({ references, total: 10 }).length).to.be.at.most(8_000);
      const [first] = references;
      expect((first?.files.length ?? 0) + (first?.moreFiles ?? 0)).to.equal(300);
      expect((first?.tools.length ?? 0) + (first?.moreTools ?? 0)).to.equal(41);
    }
  });

  it("a large output is read only when a query needs it", async () => {
    const built = branch()
      .assistant({ calls: [{ name: "read" }] })
      .results("x")
      .assistant({ calls: [{ name: "bash" }] })
      .results("needle");
    const items = itemsOf(built.entries);
    let reads = 0;
    const turn = items[0];
    const block = turn?.kind === "modelTurn" ? turn.toolResults[0]?.content[0] : undefined;
    Object.defineProperty(block, "text", { get: () => `${reads++}`, enumerable: true });
    const navigator = new Navigator(new TokenEstimator());
    navigator.update(items);
    await navigator.search({ query: "needle", tools: ["bash"] }, WIDE);
    await navigator.search({ query: "", tools: ["bash"] }, WIDE);
    navigator.browse({ direction: "backward", count: 1 }, WIDE);
    expect(reads).to.equal(0);
    await navigator.search({ query: "needle" }, WIDE);
    expect(reads).to.be.above(0);
  });
});

describe("HistoryNavigator.update", () => {
  it("only new items are read when the branch grows, and a replaced last item is followed", async () => {
    const built = branch()
      .user("one")
      .assistant({ calls: [{ name: "read" }, { name: "read" }], stopReason: "aborted" });
    const projection = projectionOf(built.entries);
    const navigator = new Navigator(new TokenEstimator());
    let reads = 0;
    const watch = (item: HistoryItem | undefined, content: string) => {
      const get = () => {
        reads++;
        return content;
      };
      if (item && item.kind !== "modelTurn") Object.defineProperty(item.message, "content", { get });
    };
    watch(projection.items[0], "one");
    const found = async (query: string) => {
      navigator.update(projection.items);
      return (await navigator.search({ query }, WIDE)).references.map(({ historyId }) => historyId);
    };
    expect(await found("late")).to.deep.equal([]);
    const readsBefore = reads;
    projection.update(built.result("late").entries);
    expect(await found("late")).to.deep.equal(["00000002"]);
    projection.update(built.custom("note").entries);
    watch(projection.items.at(-1), "late note");
    expect(await found("late")).to.deep.equal(["00000004", "00000002"]);
    const readsWithNote = reads;
    expect(readsWithNote).to.be.above(readsBefore);
    projection.update(built.result("later").entries);
    expect(await found("later")).to.deep.equal(["00000002"]);
    expect(await found("zebra")).to.deep.equal([]);
    expect(reads).to.equal(readsWithNote);
  });

  it("another branch is another history: what was left is not found", async () => {
    const built = branch();
    const fork = built.user("root").leafId;
    const navigator = new Navigator(new TokenEstimator());
    const projection = projectionOf(built.user("needle-A").path);
    navigator.update(projection.items);
    expect((await navigator.search({ query: "needle-A" }, WIDE)).total).to.equal(1);
    projection.update(built.goTo(fork).user("needle-B").path);
    navigator.update(projection.items);
    expect(
      (await navigator.search({ query: '"needle-A"' }, WIDE)).references.map(({ preview }) => preview),
    ).to.deep.equal(["needle-B"]);
    expect(await rejectionOf(navigator.load({ historyIds: ["00000002"] }, WIDE))).to.equal(
      "UNKNOWN_HISTORY_ID",
    );
  });
});

describe("HistoryNavigator.search while the history changes", () => {
  it("answers for the history that was asked about", async () => {
    const building = branch().user("root");
    const fork = building.leafId;
    const projection = projectionOf(building.user("needle left").user("after").path);
    const navigator = new Navigator(new TokenEstimator());
    navigator.update(projection.items);
    const expected = await navigator.search({ query: "needle", load: true }, WIDE);
    const asked = navigator.search({ query: "needle", load: true }, WIDE);
    projection.update(building.goTo(fork).user("needle right").path);
    navigator.update(projection.items);
    expect(await asked).to.deep.equal(expected);
    expect(await previews(navigator, { query: "needle" })).to.deep.equal(["needle right"]);
  });
});

describe("HistoryNavigator.browse", () => {
  const navigator = saying(..."abcdefghij");
  const browse = (input: BrowseInput) =>
    navigator
      .browse(input, WIDE)
      .references.map(({ preview }) => preview)
      .join("");

  it("backward and forward exclude the anchor, in ascending order", () => {
    expect(browse({ direction: "backward", sequence: 6 })).to.equal("bcdef");
    expect(browse({ direction: "forward", sequence: 6 })).to.equal("hij");
    expect(browse({ direction: "backward", historyId: "00000003", count: 1 })).to.equal("b");
    expect(browse({ direction: "backward", sequence: 0 })).to.equal("");
  });

  it("around includes the anchor; where one side ends, the other gives more", () => {
    expect(browse({ direction: "around", sequence: 5 })).to.equal("defgh");
    expect(browse({ direction: "around", sequence: 0 })).to.equal("abcde");
    expect(browse({ direction: "around", sequence: 9, count: 4 })).to.equal("ghij");
    expect(browse({ direction: "around", sequence: 4, count: 10 })).to.equal("abcdefghij");
    expect(browse({ direction: "around", sequence: 4, count: 1 })).to.equal("e");
  });

  it("takes every stride-th item", () => {
    expect(browse({ direction: "backward", sequence: 9, stride: 3 })).to.equal("adg");
    expect(browse({ direction: "forward", sequence: 1, stride: 4, count: 2 })).to.equal("fj");
    expect(browse({ direction: "around", sequence: 4, stride: 2, count: 3 })).to.equal("ceg");
  });

  it("without an anchor it starts with the newest item, forward with the oldest", () => {
    expect(browse({ direction: "backward", count: 3 })).to.equal("hij");
    expect(browse({ direction: "around", count: 3 })).to.equal("hij");
    expect(browse({ direction: "forward", count: 3 })).to.equal("abc");
    const empty = navigatorOf([]);
    for (const direction of ["backward", "forward", "around"] as const) {
      expect(empty.browse({ direction }, WIDE).references).to.deep.equal([]);
    }
  });

  it("refuses an unknown anchor, and two of them", async () => {
    expect(codeOf(() => browse({ direction: "forward", historyId: "nowhere" }))).to.equal(
      "UNKNOWN_HISTORY_ANCHOR",
    );
    expect(codeOf(() => browse({ direction: "forward", sequence: 10 }))).to.equal("UNKNOWN_HISTORY_ANCHOR");
    expect(codeOf(() => browse({ direction: "forward", sequence: 1, historyId: "00000001" }))).to.equal(
      "INVALID_HISTORY_NAVIGATOR_INPUT",
    );
  });

  it("hidden turns have no place in the order", () => {
    const built = branch()
      .user("a")
      .assistant({ calls: [{ name: "browse_history" }] })
      .results("r")
      .user("b");
    const { references } = navigatorOf(built.entries).browse({ direction: "forward" }, WIDE);
    expect(references.map(({ sequence, preview }) => `${sequence}${preview}`)).to.deep.equal(["0a", "1b"]);
    expect(references[0]?.nextHistoryId).to.equal(references[1]?.historyId);
  });
});

describe("HistoryNavigator.load", () => {
  it("returns stored items in the order asked, all or none", async () => {
    const built = branch()
      .turn("one", [{ name: "read", args: { path: "a.ts" } }], "r")
      .bash("ls", "out");
    const items = itemsOf(built.entries);
    const navigator = navigatorOf(built.entries);
    const loaded = await navigator.load({ historyIds: ["00000005", "00000002", "00000001"] }, WIDE);
    const [user, turn, , context] = items;
    expect(loaded.images).to.deep.equal([]);
    expect(loaded.items[0]).to.deep.equal({ ...context, sequence: 3 });
    expect(loaded.items[2]).to.deep.equal({ ...user, sequence: 0 });
    const { interrupted: _, ...stored } = turn?.kind === "modelTurn" ? turn : { interrupted: false };
    expect(loaded.items[1]).to.deep.equal({
      ...stored,
      sequence: 1,
      tools: ["read"],
      files: ["a.ts"],
      failed: false,
    });
    expect(await rejectionOf(navigator.load({ historyIds: ["00000005", "nowhere"] }, WIDE))).to.equal(
      "UNKNOWN_HISTORY_ID",
    );
  });

  it("an id that entries share is refused, and says so", async () => {
    const built = branch().user("a").user("b");
    const entries = built.entries.map((entry) => ({ ...entry, id: "same" }));
    const refused = await navigatorOf(entries)
      .load({ historyIds: ["same"] }, WIDE)
      .catch(String);
    expect(refused).to.match(/2 items of this session share/);
  });

  it("images come as image blocks; their place says type, number and decoded size", async () => {
    const image = (data: string) => ({ type: "image" as const, mimeType: "image/png", data });
    const built = branch()
      .user([{ type: "text", text: "look" }, image(PIXEL)])
      .assistant({ calls: [{ name: "read" }] })
      .result({ content: [image("AAAA"), { type: "text", text: "after" }] });
    const before = JSON.stringify(built.entries);
    const { items, images } = await navigatorOf(built.entries).load(
      { historyIds: ["00000002", "00000001"] },
      WIDE,
    );
    expect(images).to.deep.equal([image("AAAA"), image(PIXEL)]);
    const place = { type: "image", mimeType: "image/png" };
    expect(items[0]).to.have.deep.nested.property("toolResults[0].content", [
      { ...place, attachment: 1, bytes: 3 },
      { type: "text", text: "after" },
    ]);
    expect(items[1]).to.have.deep.nested.property("message.content[1]", {
      ...place,
      attachment: 2,
      bytes: Buffer.from(PIXEL, "base64").length,
    });
    expect(JSON.stringify(built.entries)).to.equal(before);
  });

  it("refuses more than half of the budget, with the size and the exact call of each output", async () => {
    const built = branch().turn("one", [{ name: "read" }, { name: "bash" }], prose(1, 20_000));
    const navigator = navigatorOf(built.entries);
    const scope = { ...WIDE, budgetTokens: 12_000 };
    const refused = navigator.load({ historyIds: ["00000002"] }, scope);
    expect(await rejectionOf(refused)).to.equal("HISTORY_ITEMS_TOO_LARGE");
    const text = await refused.catch(String);
    const turn = itemsOf(built.entries)[1];
    for (const result of turn?.kind === "modelTurn" ? turn.toolResults : []) {
      const { toolCallId } = result;
      const call = JSON.stringify({ historyId: "00000002", source: "toolResult", toolCallId });
      expect(text).to.contain(`${JSON.stringify(result).length} characters: read_context_output(${call})`);
    }
    expect(text).to.contain(
      'read_context_output({"historyId":"00000002","source":"assistant","contentIndex":0})',
    );
    expect(
      (await navigator.load({ historyIds: ["00000002"] }, { ...scope, budgetTokens: 40_000 })).items,
    ).to.have.length(1);
  });

  it("an error flag and its text come back as stored", async () => {
    const built = branch()
      .assistant({ calls: [{ name: "bash" }] })
      .result({ text: "exit 1", isError: true });
    const { items } = await navigatorOf(built.entries).load({ historyIds: ["00000001"] }, WIDE);
    expect(items[0]).to.have.nested.property("toolResults[0].isError", true);
    expect(items[0]).to.have.nested.property("toolResults[0].content[0].text", "exit 1");
  });
});
