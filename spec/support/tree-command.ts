/** A slash command for what RPC mode lacks: `/go-back n` goes on before the n-th newest user message of the branch. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "./sandbox.ts";

const COMMAND = `
export default (pi) => pi.registerCommand("go-back", {
  description: "Goes back to an earlier prompt",
  handler: async (args, ctx) => {
    const branch = ctx.sessionManager.getBranch();
    const prompts = branch.filter(({ type, message }) => type === "message" && message.role === "user");
    await ctx.navigateTree(prompts.at(-Number(args)).id, { summarize: false });
    ctx.ui.notify("moved");
  },
});
`;

/** Writes the extension with the command, and returns its path. */
export function writeTreeCommand(sandbox: Sandbox): string {
  const file = join(sandbox.root, "tree-command.ts");
  writeFileSync(file, COMMAND);
  return file;
}
