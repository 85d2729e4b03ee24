/** The lines that something writes to this process's stderr; they do not reach the terminal. */
export async function stderrOf(run: () => unknown): Promise<string[]> {
  const write = process.stderr.write;
  let text = "";
  process.stderr.write = (part: string | Uint8Array) => {
    text += String(part);
    return true;
  };
  try {
    await run();
  } finally {
    process.stderr.write = write;
  }
  return text.split("\n").filter((line) => line !== "");
}
