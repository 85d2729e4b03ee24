/** One line that says how far the runs are; only on a terminal. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #total: number;
  readonly #answered = new Map<string, number>();

  constructor(stream: NodeJS.WriteStream, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  show(name: string, answered: number): void {
    this.#answered.set(name, answered);
    const parts = [...this.#answered].map(([run, count]) => `${run}: ${count} of ${this.#total} prompts`);
    this.#write(parts.toSorted().reverse().join("   "));
  }

  end(): void {
    this.#write("");
  }

  #write(text: string): void {
    if (this.#stream.isTTY) this.#stream.write(`\r\u001b[K${text}`);
  }
}
