/**
 * Which part of lib may import which (ARCHITECTURE.md, "Rooms"). A type-only import leaves nothing at run time: with it a
 * room may name what another one knows, but never Pi's port.
 */
import typescript from "typescript";

// Without the compiler's library dependency-cruiser skips every .ts file and finds nothing wrong.
if (typeof typescript.transpileModule !== "function") {
  throw new Error(
    "The typescript that is installed has no library: use a version that dependency-cruiser supports.",
  );
}

const PI = "node_modules/(@mariozechner|@earendil-works)/";
const PURE_ROOMS = "^lib/(session|paging|usage|recovery|stats|strategies)/";
const WIRING = "^lib/(index|extension|testing)[.]ts$";
const atRunTime = { dependencyTypesNot: ["type-only"] };

export default {
  forbidden: [
    {
      name: "no-cycles",
      comment: "No module leads back to itself, not even by types.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "pi-only-in-host",
      comment: "Only the host room imports Pi at run time, under the one name that both hosts resolve.",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/host/" },
      to: { path: PI, ...atRunTime },
    },
    {
      name: "one-name-of-pi",
      comment: "The other name does not exist for the legacy host.",
      severity: "error",
      from: { path: "^lib/" },
      to: { path: "node_modules/@earendil-works/", ...atRunTime },
    },
    {
      name: "pure-rooms-know-no-host",
      comment: "Not even by type: what they need of Pi comes as plain data.",
      severity: "error",
      from: { path: PURE_ROOMS },
      to: { path: "^lib/host/" },
    },
    {
      name: "rooms-meet-in-the-extension",
      comment:
        "At run time a room uses only itself and the items of the session; the extension puts rooms together.",
      severity: "error",
      from: { path: "^lib/([^/]+)/", pathNot: "^lib/(recovery|stats)/" },
      to: { path: "^lib/[^/]+/", pathNot: ["^lib/$1/", "^lib/session/"], ...atRunTime },
    },
    {
      name: "recovery-and-stats-use-estimates",
      comment: "These two also price what they show.",
      severity: "error",
      from: { path: "^lib/(recovery|stats)/" },
      to: { path: "^lib/[^/]+/", pathNot: ["^lib/$1/", "^lib/(session|usage)/"], ...atRunTime },
    },
    {
      name: "rooms-do-not-wire",
      comment: "Nothing below the entry modules imports them.",
      severity: "error",
      from: { path: "^lib/", pathNot: WIRING },
      to: { path: WIRING },
    },
    {
      name: "machine-only-in-host",
      comment:
        "Files, processes and the rest of Node are behind the port; the suites for forks use its assert.",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/(host|testing)/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "nothing-missing",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: "specify",
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
  },
};
