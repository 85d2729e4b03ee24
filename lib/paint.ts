/** The theme colours that stats and picture use, by Pi's names. */
export type Tint = "accent" | "text" | "muted" | "dim" | "success" | "warning";

/** Colours a part of a line for the place where it is shown. */
export type Paint = (tint: Tint, text: string) => string;

/** For everything that is not a terminal screen: text as it is. */
export const PLAIN: Paint = (_tint, text) => text;
