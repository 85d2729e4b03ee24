import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { CurrentPiHost } from "./current-pi-host.ts";
import { LegacyPiHost } from "./legacy-pi-host.ts";
import type { PiHost } from "./pi-host.ts";

/** The host that runs this extension, told by what its context offers. */
export function hostOf(pi: ExtensionAPI, ctx: ExtensionContext): PiHost {
  return typeof ctx.isProjectTrusted === "function" ? new CurrentPiHost(pi) : new LegacyPiHost(pi);
}
