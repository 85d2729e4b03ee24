import type { SearchInput } from "../inputs.ts";
import type { SearchDocument } from "./search-document.ts";

/** Whether an item passes the filters of a search. Reads no outputs. */
export function matchesFilters(
  document: SearchDocument,
  { files = [], tools = [], failed }: Pick<SearchInput, "files" | "tools" | "failed">,
): boolean {
  if (failed === undefined && tools.length === 0 && files.length === 0) return true;
  const { metadata } = document;
  return (
    (failed === undefined || metadata.failed === failed) &&
    (tools.length === 0 || tools.some((tool) => metadata.tools.includes(tool))) &&
    (files.length === 0 || files.some((file) => metadata.files.some((path) => isSameFile(path, file))))
  );
}

/** The whole path, or its trailing segments. Case and the kind of slash do not count. */
function isSameFile(path: string, file: string): boolean {
  const whole = normalized(path);
  const part = normalized(file);
  return part !== "" && (whole === part || whole.endsWith(`/${part.replace(/^\//, "")}`));
}

function normalized(path: string): string {
  return path
    .toLowerCase()
    .replaceAll("\\", "/")
    .replace(/^(\.\/)+/, "");
}
