/**
 * Remembers that the provider refused a request as too large, until the next one is selected with a cut that keeps the
 * following ones small too. This is no accounting: Pi's retry edit does not clear it. Section "Overflow" of
 * ARCHITECTURE.md.
 */
export class RefusedRequest {
  #tokens: number | undefined;
  #isContinued = false;

  /** Estimated tokens of the refused request. */
  get tokens(): number | undefined {
    return this.#tokens;
  }

  /** Whether the run went on once already. A second refusal ends it. */
  get isContinued(): boolean {
    return this.#isContinued;
  }

  /** The next request must be smaller than this one. */
  refuse(tokens: number | undefined): void {
    this.#tokens = tokens;
  }

  /** The run goes on by itself. */
  continue(): void {
    this.#isContinued = true;
  }

  /** A new prompt may be continued again. */
  beginRun(): void {
    this.#isContinued = false;
  }

  /** The smaller request is on its way, or what was refused no longer matters. */
  settle(): void {
    this.#tokens = undefined;
  }
}
