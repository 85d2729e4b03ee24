/**
 * Resolve hook for sessions inside this process (loaded by mocha's `require`).
 *
 * The extension imports Pi under one name, `@mariozechner/*`; the current Pi's own loader maps that name to itself.
 * A native import must do the same, or the extension would work with the legacy package inside the current Pi. So
 * every `@mariozechner/*` import of this project means the current package, except below a module that was imported
 * with `?pi=legacy`: its own imports inherit that mark and keep the name. Packages in node_modules are left alone.
 *
 * The examples import this package by its name, as if it were installed beside them.
 */
import { registerHooks } from "node:module";

const LEGACY_MARK = "?pi=legacy";
const PACKAGE = new URL("../../package.json", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL ?? "";
    if (parent.includes("/node_modules/")) return next(specifier, context);
    if (specifier.startsWith("pi-context-paging/"))
      return next(specifier, { ...context, parentURL: PACKAGE });
    const legacy = parent.endsWith(LEGACY_MARK);
    const name = legacy ? specifier : specifier.replace(/^@mariozechner\//, "@earendil-works/");
    const resolved = next(name, context);
    if (!legacy || !resolved.url.startsWith("file:") || resolved.url.includes("/node_modules/"))
      return resolved;
    return { ...resolved, url: `${resolved.url}${LEGACY_MARK}` };
  },
});
