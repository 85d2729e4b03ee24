/** The lines that `pi --mode rpc` prints, as far as the specs read them. */

export interface RpcEvent {
  readonly type: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

export interface Notification {
  readonly level: string;
  readonly text: string;
}

export interface RpcResponse extends RpcEvent {
  readonly success: boolean;
  readonly error?: string;
  readonly data?: unknown;
}

/** The notification that an event shows to the user, if it is one. */
export function notificationOf(event: RpcEvent): Notification | undefined {
  if (event.type !== "extension_ui_request" || event.method !== "notify") return undefined;
  return { level: String(event.notifyType ?? "info"), text: String(event.message) };
}

/** Footer texts published under the key, in order; `undefined` where it was cleared. */
export function statusTexts(events: readonly RpcEvent[], key: string): (string | undefined)[] {
  return events
    .filter((event) => event.method === "setStatus" && event.statusKey === key)
    .map((event) => event.statusText as string | undefined);
}

/** Errors that Pi reports about extensions. */
export function extensionErrors(events: readonly RpcEvent[]): string[] {
  return events.filter((event) => event.type === "extension_error").map((event) => String(event.error));
}
