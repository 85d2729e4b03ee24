const LONGEST_SHOWN = 60;

/**
 * A value of any kind, on one line and at most 60 characters long, for the text of an error or a warning. Strings keep
 * their quotes, so that `"80000"` and `80000` can be told apart. Never throws.
 */
export function shownValue(value: unknown): string {
  const text = fullText(value);
  // One more than is shown, times two for surrogate pairs: enough to see that something was left out.
  const characters = Array.from(text.slice(0, 2 * (LONGEST_SHOWN + 1)));
  return characters.length > LONGEST_SHOWN ? `${characters.slice(0, LONGEST_SHOWN - 3).join("")}...` : text;
}

function fullText(value: unknown): string {
  // JSON knows neither NaN nor Infinity nor undefined.
  if (typeof value === "number" || value === undefined) return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
