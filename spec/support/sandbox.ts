/** A throw-away home for one Pi: agent folder with models.json and settings.json, project folder, home. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { WireApi } from "./wire.ts";

/** The model that the sandbox offers under both APIs. */
interface SandboxModel {
  readonly contextWindow?: number;
  readonly maxTokens?: number;
}

export interface SandboxOptions {
  /** Base URL of the mock model. */
  readonly url: string;
  /** The API of the default model. */
  readonly api?: WireApi;
  readonly model?: SandboxModel;
  /** Further models of both APIs by id; what they leave out is as in the model above. */
  readonly moreModels?: Readonly<Record<string, SandboxModel>>;
  /** Fields of settings.json; the extension's own under `contextPaging`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The exact bytes of settings.json, instead of everything above. */
  readonly settingsText?: string;
}

/** The provider name in the sandbox's models.json for each API. */
export const PROVIDERS: Readonly<Record<WireApi, string>> = {
  "openai-completions": "mock-chat",
  "anthropic-messages": "mock-messages",
};

export const MODEL_ID = "mock-model";

export class Sandbox {
  readonly root: string;
  readonly agentDir: string;
  /** The project folder, working directory of every Pi in this sandbox. */
  readonly cwd: string;
  readonly home: string;
  readonly api: WireApi;

  constructor(options: SandboxOptions) {
    this.root = mkdtempSync(join(tmpdir(), "pi-paging-"));
    this.agentDir = join(this.root, "agent");
    this.cwd = join(this.root, "project");
    this.home = join(this.root, "home");
    this.api = options.api ?? "openai-completions";
    for (const directory of [this.agentDir, this.cwd, this.home]) mkdirSync(directory);
    writeFileSync(join(this.agentDir, "models.json"), JSON.stringify(models(options), null, 2));
    writeFileSync(
      this.settingsFile,
      options.settingsText ?? JSON.stringify(this.#settings(options), null, 2),
    );
  }

  get settingsFile(): string {
    return join(this.agentDir, "settings.json");
  }

  /** Writes a file of the project folder and returns its absolute path. */
  write(name: string, content: string): string {
    const file = join(this.cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  read(name: string): string {
    return readFileSync(join(this.cwd, name), "utf8");
  }

  /**
   * The environment of a Pi in this sandbox, and nothing else: no coverage variables, no keys of the developer,
   * no network (loopback works in any case).
   */
  environment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`,
      HOME: this.home,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      PI_CODING_AGENT_DIR: this.agentDir,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      ...extra,
    };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  #settings(options: SandboxOptions): object {
    return {
      defaultProvider: PROVIDERS[this.api],
      defaultModel: MODEL_ID,
      quietStartup: true,
      enableInstallTelemetry: false,
      // A failed request shows at once instead of after Pi's back-off.
      retry: { enabled: false },
      ...options.settings,
    };
  }
}

function models({ url, model, moreModels = {} }: SandboxOptions): object {
  const entry = {
    id: MODEL_ID,
    name: MODEL_ID,
    reasoning: false,
    input: ["text", "image"],
    contextWindow: 128_000,
    maxTokens: 4_096,
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
    ...model,
  };
  const more = Object.entries(moreModels).map(([id, other]) => ({ ...entry, id, name: id, ...other }));
  const provider = (baseUrl: string, api: WireApi) => ({
    baseUrl,
    api,
    apiKey: "mock-key",
    models: [entry, ...more],
  });
  return {
    providers: {
      [PROVIDERS["openai-completions"]]: provider(`${url}/v1`, "openai-completions"),
      [PROVIDERS["anthropic-messages"]]: provider(url, "anthropic-messages"),
    },
  };
}
