/** Everything one scenario needs, with one `close` that ends and removes all of it. */
import { MockModel, type MockOptions } from "./mock-model.ts";
import type { PiHost } from "./pi-hosts.ts";
import { RpcSession } from "./rpc-session.ts";
import { Sandbox, type SandboxOptions } from "./sandbox.ts";
import { openSdkSession, type SdkOptions, type SdkSession } from "./sdk-session.ts";
import { TuiSession } from "./tui-session.ts";

export interface StageOptions extends MockOptions, Omit<SandboxOptions, "url" | "settings"> {
  /** The extension's settings. */
  readonly paging?: Readonly<Record<string, unknown>>;
  /** Pi's own settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export class Stage {
  readonly mock: MockModel;
  readonly sandbox: Sandbox;
  readonly #closers: (() => unknown)[] = [];

  private constructor(mock: MockModel, sandbox: Sandbox) {
    this.mock = mock;
    this.sandbox = sandbox;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const { paging, settings, ...rest } = options;
    const mock = await MockModel.start(rest);
    const contextPaging = paging === undefined ? {} : { contextPaging: paging };
    return new Stage(
      mock,
      new Sandbox({ ...rest, url: mock.url, settings: { ...settings, ...contextPaging } }),
    );
  }

  /** A Pi in RPC mode that ends with the stage. */
  rpc(host: PiHost, options: ConstructorParameters<typeof RpcSession>[2] = {}): RpcSession {
    const session = new RpcSession(host, this.sandbox, options);
    this.onClose(() => session.stop());
    return session;
  }

  /** A Pi inside this process that ends with the stage. */
  async sdk(host: PiHost, options: SdkOptions = {}): Promise<SdkSession> {
    const session = await openSdkSession(host, this.sandbox, options);
    this.onClose(() => session.dispose());
    return session;
  }

  /** An interactive Pi that ends with the stage. */
  tui(host: PiHost): TuiSession {
    const session = new TuiSession(host, this.sandbox);
    this.onClose(() => session.stop());
    return session;
  }

  /** Runs at `close`, last registered first. */
  onClose(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.reverse()) await closer();
    await this.mock.close();
    this.sandbox.remove();
  }
}
