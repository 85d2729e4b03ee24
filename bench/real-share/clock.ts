import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/**
 * An extension that tells when it is called. One copy is loaded before and one after the extension under test: the time
 * between their `context` handlers is the tested extension's. Each notifies `clock <name> <event> <ms>`.
 */
export function clock(pi: ExtensionAPI, name: "before" | "after"): void {
  const tell = (event: string, ctx: { ui: { notify: (text: string) => void } }) =>
    ctx.ui.notify(`clock ${name} ${event} ${performance.timeOrigin + performance.now()}`);
  if (name === "before") {
    pi.on("input", (_event, ctx) => {
      tell("input", ctx);
    });
  }
  pi.on("context", (_event, ctx) => {
    tell("context", ctx);
  });
  if (name === "after") {
    pi.on("before_provider_request", (_event, ctx) => {
      tell("request", ctx);
    });
  }
}
