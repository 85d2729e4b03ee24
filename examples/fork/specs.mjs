// Node strips no types below node_modules, where pi-context-paging is. jiti does: Pi loads extensions with it.
import { createJiti } from "jiti";

await createJiti(import.meta.url).import("./strategies.spec.ts");
