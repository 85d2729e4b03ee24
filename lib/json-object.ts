/** An object as JSON knows it: read its own properties only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object in the sense of JSON: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
