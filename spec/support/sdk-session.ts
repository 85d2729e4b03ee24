/** A Pi session inside this process, on either host, made with the host's own library. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as CurrentPi from "@earendil-works/pi-coding-agent";
import type * as LegacyPi from "@mariozechner/pi-coding-agent";
import { PACKAGE_DIR, type PiHost } from "./pi-hosts.ts";
import { MODEL_ID, PROVIDERS, type Sandbox } from "./sandbox.ts";
import { UiRecorder } from "./ui-recorder.ts";

type ExtensionFactory = CurrentPi.ExtensionFactory;

export interface SdkOptions {
  /** Extensions as functions. Default: the package's own factory, imported natively. */
  readonly factories?: readonly ExtensionFactory[];
  /** Extensions that Pi's own loader loads. */
  readonly extensionPaths?: readonly string[];
  /** A session file to continue. Default: a session in memory. */
  readonly sessionFile?: string;
  /** "none" gives extensions no user interface, as in print mode. */
  readonly ui?: "recorded" | "none";
}

/** The part of Pi's session that both hosts share and the specs use. */
interface AgentSessionPart {
  prompt(text: string): Promise<void>;
  abort(): Promise<void>;
  dispose(): void;
  readonly agent: { waitForIdle(): Promise<void> };
  getLastAssistantText(): string | undefined;
  subscribe(listener: (event: { readonly type: string }) => void): () => void;
  bindExtensions(bindings: object): Promise<void>;
  navigateTree(id: string, options?: object): Promise<{ cancelled: boolean }>;
  reload(): Promise<void>;
}

export interface SdkSession {
  readonly session: AgentSessionPart;
  readonly ui: UiRecorder;
  /** Errors of extensions, at load time and later. */
  readonly errors: string[];
  /** Sends a prompt and waits until the session is idle again. */
  prompt(text: string): Promise<void>;
  dispose(): void;
}

/** The default export of the package, bound to this host's library. */
async function packageFactory(host: PiHost): Promise<ExtensionFactory> {
  const url = pathToFileURL(join(PACKAGE_DIR, "lib/index.ts")).href;
  const module = (await import(host.name === "legacy" ? `${url}?pi=legacy` : url)) as {
    default: ExtensionFactory;
  };
  return module.default;
}

export async function openSdkSession(
  host: PiHost,
  sandbox: Sandbox,
  options: SdkOptions = {},
): Promise<SdkSession> {
  const restore = useEnvironment(sandbox.environment());
  const factories = options.factories ?? [await packageFactory(host)];
  const resources = {
    cwd: sandbox.cwd,
    agentDir: sandbox.agentDir,
    additionalExtensionPaths: [...(options.extensionPaths ?? [])],
    noSkills: true,
    noContextFiles: true,
    noPromptTemplates: true,
    noThemes: true,
  };
  const open = host.name === "legacy" ? openLegacy : openCurrent;
  const { session, loadErrors } = await open(host, sandbox, resources, factories, options.sessionFile);
  const ui = new UiRecorder();
  const errors = [...loadErrors];
  await session.bindExtensions({
    ...(options.ui === "none" ? {} : { uiContext: ui.context }),
    mode: options.ui === "none" ? "print" : "rpc",
    onError: (error: { error: string }) => void errors.push(error.error),
    commandContextActions: commandActions(session),
    shutdownHandler: () => {},
  });
  return {
    session,
    ui,
    errors,
    prompt: async (text) => {
      await session.prompt(text);
      await idle(session);
    },
    dispose: () => {
      session.dispose();
      restore();
    },
  };
}

interface Opened {
  readonly session: AgentSessionPart;
  readonly loadErrors: readonly string[];
}

type Resources = Omit<CurrentPi.DefaultResourceLoader, keyof CurrentPi.DefaultResourceLoader> & {
  readonly cwd: string;
  readonly agentDir: string;
  readonly additionalExtensionPaths: string[];
};

async function openCurrent(
  host: PiHost,
  sandbox: Sandbox,
  resources: Resources,
  factories: readonly ExtensionFactory[],
  sessionFile: string | undefined,
): Promise<Opened> {
  const pi = (await import(host.library)) as typeof CurrentPi;
  const settingsManager = pi.SettingsManager.create(sandbox.cwd, sandbox.agentDir);
  const resourceLoader = new pi.DefaultResourceLoader({
    ...resources,
    settingsManager,
    extensionFactories: [...factories],
  });
  await resourceLoader.reload();
  const modelRuntime = await pi.ModelRuntime.create({
    authPath: join(sandbox.agentDir, "auth.json"),
    modelsPath: join(sandbox.agentDir, "models.json"),
  });
  const model = modelRuntime.getModel(PROVIDERS[sandbox.api], MODEL_ID);
  if (model === undefined) throw new Error("the sandbox's model is unknown to Pi");
  const { session, extensionsResult } = await pi.createAgentSession({
    cwd: sandbox.cwd,
    agentDir: sandbox.agentDir,
    model,
    modelRuntime,
    resourceLoader,
    settingsManager,
    sessionManager: sessionFile
      ? pi.SessionManager.open(sessionFile)
      : pi.SessionManager.inMemory(sandbox.cwd),
  });
  return { session, loadErrors: extensionsResult.errors.map((error) => error.error) };
}

async function openLegacy(
  host: PiHost,
  sandbox: Sandbox,
  resources: Resources,
  factories: readonly ExtensionFactory[],
  sessionFile: string | undefined,
): Promise<Opened> {
  const pi = (await import(host.library)) as typeof LegacyPi;
  const settingsManager = pi.SettingsManager.create(sandbox.cwd, sandbox.agentDir);
  const resourceLoader = new pi.DefaultResourceLoader({
    ...resources,
    settingsManager,
    extensionFactories: [...factories] as unknown as LegacyPi.ExtensionFactory[],
  });
  await resourceLoader.reload();
  const authStorage = pi.AuthStorage.create(join(sandbox.agentDir, "auth.json"));
  const modelRegistry = pi.ModelRegistry.create(authStorage, join(sandbox.agentDir, "models.json"));
  const model = modelRegistry.find(PROVIDERS[sandbox.api], MODEL_ID);
  if (model === undefined) throw new Error("the sandbox's model is unknown to Pi");
  const { session, extensionsResult } = await pi.createAgentSession({
    cwd: sandbox.cwd,
    agentDir: sandbox.agentDir,
    model,
    authStorage,
    modelRegistry,
    resourceLoader,
    settingsManager,
    sessionManager: sessionFile
      ? pi.SessionManager.open(sessionFile)
      : pi.SessionManager.inMemory(sandbox.cwd),
  });
  return { session, loadErrors: extensionsResult.errors.map((error) => error.error) };
}

function commandActions(session: AgentSessionPart): object {
  const cancelled = async () => ({ cancelled: true });
  return {
    waitForIdle: () => session.agent.waitForIdle(),
    newSession: cancelled,
    fork: cancelled,
    switchSession: cancelled,
    navigateTree: (id: string, options?: object) => session.navigateTree(id, options),
    reload: () => session.reload(),
  };
}

/** Legacy handles events in a queue of its own, behind the agent: it is idle when both are. */
async function idle(session: AgentSessionPart): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await (session as { _agentEventQueue?: Promise<void> })._agentEventQueue?.catch(() => {});
    await session.agent.waitForIdle();
  }
}

/** Pi reads its folders from the environment at call time. Returns how to put the old values back. */
function useEnvironment(environment: Readonly<Record<string, string>>): () => void {
  const names = ["HOME", "PI_CODING_AGENT_DIR", "PI_OFFLINE", "PI_TELEMETRY"];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = environment[name];
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
