/** The code blocks of a Markdown page, and what stands in them. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** The commands of all shell blocks, without their comments. */
export function shellCommands(markdown: string): string[] {
  return codeBlocks(markdown)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.split("\n"))
    .map((line) => line.replace(/\s*#.*$/, "").trim())
    .filter((line) => line !== "");
}

/** Inline code that is this program alone or with arguments, each once. */
export function inlineCommands(markdown: string, program: string): string[] {
  const commands = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, command = ""]) => command);
  return [...new Set(commands)].filter((command) => `${command} `.startsWith(`${program} `));
}
