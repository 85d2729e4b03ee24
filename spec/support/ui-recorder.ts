/** A user interface without a screen: it records what an extension shows, and answers every dialog with "cancel". */
import type { Notification } from "./rpc-events.ts";

export class UiRecorder {
  readonly notifications: Notification[] = [];
  /** Footer texts in the order of publication, `undefined` where the key was cleared. */
  readonly statuses: { readonly key: string; readonly text: string | undefined }[] = [];

  /** The object for Pi's `uiContext`; methods that are not recorded do nothing. */
  get context(): object {
    const known: Record<string, unknown> = {
      notify: (text: string, level = "info") => void this.notifications.push({ level, text }),
      setStatus: (key: string, text: string | undefined) => void this.statuses.push({ key, text }),
      select: async () => undefined,
      confirm: async () => false,
      input: async () => undefined,
      editor: async () => undefined,
      custom: async () => undefined,
      getEditorText: () => "",
      getAllThemes: () => [],
      getTheme: () => undefined,
      setTheme: () => ({ success: false }),
      getToolsExpanded: () => false,
      theme: { fg: (color: string, text: string) => `<${color}>${text}</${color}>` },
      onTerminalInput: () => () => {},
    };
    return new Proxy(known, {
      get: (target, key) => (typeof key === "string" ? (target[key] ?? (() => {})) : undefined),
    });
  }
}
