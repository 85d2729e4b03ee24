import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { clock } from "./clock.ts";

export default (pi: ExtensionAPI): void => clock(pi, "before");
