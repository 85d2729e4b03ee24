import { statSync } from "node:fs";

/** Size of a file in bytes; undefined where there is none, or none that can be read. Reads metadata only. */
export function fileBytes(path: string | undefined): number | undefined {
  if (path === undefined) return undefined;
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}
