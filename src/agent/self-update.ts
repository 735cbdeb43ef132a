import { join } from 'node:path';
import type { Activation, Fault, Installed } from '../core/machine/activation.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import type { ModuleId } from '../core/index.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import type { Result } from '../core/text/result.ts';
import type { Delivery } from '../poller/index.ts';
import { activationsIn, noteActivation } from '../store/activations.ts';
import type { MachineFile } from '../store/index.ts';
import { META } from './install/manifest.ts';
import { packageFoldersOf } from './install/package-store.ts';
import { readPackage } from './install/package.ts';
import {
  confirmStart,
  fallBackOf,
  forgetFallBack,
  forgiveStart,
  launchedPrograms,
  nextProgram,
  noteRunning,
  startNext,
} from './launcher/launcher-folder.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentPorts } from './ports.ts';
import { expectPermission, type Preparation } from './prepare.ts';
import { runAsOf, whyClosed, type RunAs } from './process/run-as.ts';
import { runOnce } from './process/run-once.ts';

/** The agent, under the name that the agent configuration gives it. */
export const AGENT = 'platform-agent';
/** The key of its row. No module entry has a name with a slash. */
export const AGENT_ROW: string = `/${AGENT}`;

const MODULE: ModuleId = SUBSYSTEM_MODULES[AGENT];

/** What `prepared` needs of an entry. Its environment is of no use. */
const ENTRY: ModuleEntry = {
  type: 'registry',
  name: AGENT,
  moduleId: MODULE,
  constraint: { kind: 'latest' },
  env: {},
  extra: {},
};

/** How long a new release may take to say its version. */
const CHECK_MS = 60_000;

/** The version of the agent's row whose package has a program; undefined if there is none. */
function versionAt(file: MachineFile, program: string): string | undefined {
  const row = rowIn(file);
  const installed = row?.phase === 'stable' ? [row.current, row.previous] : [];
  return installed.find((one) => one && one.root !== '' && program.startsWith(`${one.root}/`))
    ?.version;
}

/** The release of the agent that the next start uses; undefined if none was installed. */
export function installedAgent(file: MachineFile, home: string): string | undefined {
  const next = nextProgram(home);
  return next === undefined ? undefined : versionAt(file, next);
}

function rowIn(file: MachineFile): Activation | undefined {
  return activationsIn(file).get(AGENT_ROW)?.activation;
}

/**
 * The releases of an agent that the launcher has started: installs one for the next start (D71), and
 * learns which ones the launcher went back from. It replaces nothing that runs.
 */
export class SelfUpdate {
  readonly #file: MachineFile;
  readonly #home: string;
  readonly #program: string;
  /** The version that runs, as its registry spells it. */
  readonly running: string;

  constructor(
    file: MachineFile,
    home: string,
    { program, version }: NonNullable<AgentOptions['launched']>,
  ) {
    this.#file = file;
    this.#home = home;
    this.#program = program;
    this.running = versionAt(file, program) ?? version;
  }

  /** The version that the next start uses. */
  get installed(): string {
    return installedAgent(this.#file, this.#home) ?? this.running;
  }

  /** Records the version that runs, for `modreg agent status`. */
  begin(): void {
    noteRunning(this.#home, this.running);
  }

  /** The release that the launcher went back from, until `forgetFailure`. */
  failure(): { readonly version: string; readonly reason: string } | undefined {
    const fallBack = fallBackOf(this.#home);
    if (!fallBack) return undefined;
    const { program, reason } = fallBack;
    const version = versionAt(this.#file, program);
    const row = rowIn(this.#file);
    if (version !== undefined && row?.phase === 'stable') {
      const fault = { reason, blame: 'release' } as const;
      this.#note({ ...row, settled: { action: '', fault, version } });
    }
    return version === undefined ? undefined : { version, reason };
  }

  /** Call it once the failure is reported: a crash before that reports it again. */
  forgetFailure(): void {
    forgetFallBack(this.#home);
  }

  /** The version that runs has shown that it works. */
  confirm(): void {
    if (this.#isNext()) confirmStart(this.#home, this.#program);
  }

  /** The agent is stopped, which says nothing about its version. */
  forgive(): void {
    if (this.#isNext()) forgiveStart(this.#home);
  }

  /** Whether the next start is of the version that runs. */
  #isNext(): boolean {
    return nextProgram(this.#home) === this.#program;
  }

  /** Installs the release of an action, and has it started next. Resolves with why it is not, if so. */
  async install(
    delivery: Delivery,
    preparation: Preparation & { readonly ports: Pick<AgentPorts, 'prepared'> },
  ): Promise<Fault | undefined> {
    const { action, terms } = delivery;
    const row = rowIn(this.#file);
    const last = row?.phase === 'stable' ? row.settled : undefined;
    if (last?.fault && last.version === action.to && action.reason.kind === 'pin-url') {
      const reason = `it did not work: ${last.fault.reason} (another address is tried)`;
      return { reason, blame: 'machine' };
    }
    // The policy's command is for modules.
    const own = { ...terms, run: { ...terms.run, command: undefined } };
    const order = { ...delivery, entry: ENTRY, terms: own };
    const ready = await preparation.ports.prepared(order, preparation);
    if (!ready.ok) return ready.error;
    const runAs = userToTry(ready.value.root, terms.run.runAs);
    const program = await this.#checked(ready.value, { ...preparation, runAs });
    if (!program.ok) return program.error;
    await expectPermission(delivery, preparation);
    try {
      this.#use(ready.value, program.value);
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { reason: `the launcher cannot be changed (${code})`, blame: 'machine' };
    }
  }

  /** The program of a release that says its version here. */
  async #checked(
    { root }: Installed,
    {
      site,
      runId,
      cgroups,
      onLine,
      stopping,
      runAs,
    }: Preparation & { readonly runAs: RunAs | undefined },
  ): Promise<Result<string, Fault>> {
    const read = readPackage(root, { command: undefined, platform: site.platform });
    if (!read.ok) return read;
    const { entryPoint: path } = read.value;
    const start = {
      path,
      arguments: ['version'],
      folder: root,
      environment: { PATH: site.environment['PATH'] ?? '/usr/bin:/bin' },
      runAs,
      mark: `${runId}/${AGENT}/check/`,
      cgroups,
      onLine: (line: Parameters<typeof onLine>[1]) => onLine(AGENT, line),
    };
    const ended = await runOnce(start, { limitMs: CHECK_MS, signal: stopping });
    if (ended.ok) return { ok: true, value: path };
    const { blame, reason } = ended.error;
    return {
      ok: false,
      error: { blame, reason: `its program does not say its version: ${reason}` },
    };
  }

  #use(current: Installed, program: string): void {
    const [root = ''] = packageFoldersOf(this.#home, [this.#program]);
    const previous = { version: this.running, root };
    // First, because it says which versions the links name.
    this.#note({ phase: 'stable', current, previous, settled: undefined });
    startNext(this.#home, program, this.#program);
  }

  #note(activation: Activation): void {
    noteActivation(this.#file, AGENT_ROW, { moduleId: MODULE, activation });
  }
}

/**
 * The user that a new agent says its version as: that of modules, so that it is not root before a start that somebody chose
 * (T274). Undefined for the user of this agent, where that one may not enter the package.
 */
function userToTry(root: string, named: string | undefined): RunAs | undefined {
  const user = runAsOf(named);
  return user.ok && whyClosed(join(root, META), user.value) === undefined ? user.value : undefined;
}

/** The packages that the launcher of this home may start: they are never removed, also if another program started the agent. */
export function launcherPackages(home: string): string[] {
  return packageFoldersOf(home, launchedPrograms(home));
}
