/** Session files of other people and programs, in a folder beside this repository that need not be there. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_DIR } from "./pi-hosts.ts";

const FOLDER = join(PACKAGE_DIR, "../shared/sessions");

/** All stored session files, by a short name; empty where the folder is absent. */
export function storedSessions(): { readonly name: string; readonly file: string }[] {
  return ["real", "scripted"].flatMap((kind) => {
    const directory = join(FOLDER, kind);
    if (!existsSync(directory)) return [];
    const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
    return names.sort().map((name) => ({ name: `${kind}/${name}`, file: join(directory, name) }));
  });
}
