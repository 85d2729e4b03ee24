import sinon from "sinon";

/** The lines that something writes to this process's stderr; they do not reach the terminal. */
export async function stderrOf(run: () => unknown): Promise<string[]> {
  const write = sinon.stub(process.stderr, "write").returns(true);
  try {
    await run();
  } finally {
    write.restore();
  }
  const text = write.args.map(([part]) => String(part)).join("");
  return text.split("\n").filter((line) => line !== "");
}
