import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { ContextPagingExtension, type ContextPagingOptions } from "./extension.ts";

/** The extension factory that Pi loads: the one supported seam. Section "Package seam" of ARCHITECTURE.md. */
export default function contextPaging(pi: ExtensionAPI, options?: ContextPagingOptions): void {
  new ContextPagingExtension(options).register(pi);
}
