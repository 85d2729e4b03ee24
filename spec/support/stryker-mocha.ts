/**
 * The mocha runner of Stryker 10.1 for mocha 12: it asks for files of mocha by names without their new ending.
 */
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.replace(/(\/mocha\/lib\/cli\/[a-z-]+)$/, "$1.cjs"), context),
});

export const { strykerPlugins, strykerValidationSchema } = await import("@stryker-mutator/mocha-runner");
