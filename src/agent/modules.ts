import type { ActionTarget } from '../core/index.ts';
import type { Installed } from '../core/machine/activation.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { DEFAULT_TERMS, termsFor, type UpdateTerms } from '../core/machine/update-policy.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { Configuration } from '../poller/index.ts';
import type { CommittedAction } from '../store/index.ts';
import { resumedWith } from './activation.ts';
import type { ModuleStart } from './module-process.ts';
import type { ModulesOptions } from './modules-options.ts';
import { dependenciesOn, hasServer, SERVER, stoppedBy, supervisedEntries } from './server.ts';
import { SupervisedModule } from './supervised-module.ts';
import { stopLayers } from './supervision/dependencies.ts';
import { versionOf, type Lifecycle } from './supervision/lifecycle.ts';

interface Supervised {
  entry: ModuleEntry;
  /** How it is run, as the config and the policy say now. */
  setup: string;
  readonly module: SupervisedModule;
}

/** A module has no process in these states, and none is about to start. */
const AT_REST: ReadonlySet<Lifecycle['state']> = new Set(['idle', 'held']);
const UP: ReadonlySet<Lifecycle['state']> = new Set(['running', 'probation']);
const ON_TRIAL: ReadonlySet<Lifecycle['state']> = new Set(['trying', 'probation', 'rolling-back']);

/** The supervised modules of a machine: those that its config has, started after the modules that they depend on. */
export class Modules {
  readonly #options: ModulesOptions;
  readonly #modules = new Map<string, Supervised>();
  /** Modules that end, because their entries left the config. */
  readonly #leaving = new Map<string, SupervisedModule>();
  /** Why a module must not run, by its name. */
  readonly #holds = new Map<string, Set<string>>();
  #configuration: Configuration | undefined;
  /** The name of the server, if the agent runs it. */
  #server: string | undefined;
  #isServerReplaced = false;
  #dependencies: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #changed = Promise.withResolvers<void>();
  #starts = 0;

  constructor(options: ModulesOptions) {
    this.#options = options;
  }

  of(name: string): SupervisedModule | undefined {
    return this.#modules.get(name)?.module;
  }

  /** The entry that the target of an action is now; undefined if it is another one, or has left the config. */
  entryOf(target: ActionTarget): ModuleEntry | undefined {
    const entry = this.#modules.get(target.name)?.entry;
    return entry?.moduleId === moduleOf(target) ? entry : undefined;
  }

  /** Supervises the entries of this configuration, and ends the modules whose entries it does not have. */
  follow(configuration: Configuration): void {
    this.#configuration = configuration;
    const { machine } = configuration;
    const { onEvent } = this.#options;
    const isDisabled = machine.agent.platformServer.disableSubsystem;
    const entries = supervisedEntries(machine);
    const before = this.#dependencies;
    this.#dependencies = dependenciesOn(machine);
    this.#server = hasServer(machine) ? SERVER : undefined;
    const wanted = new Map(entries.map((entry) => [entry.name, entry]));
    for (const [name, supervised] of this.#modules) {
      const { entry } = supervised;
      const now = wanted.get(name);
      if (now && now.moduleId === entry.moduleId && now.type === entry.type) {
        supervised.entry = now;
        this.#noteSetup(supervised);
      } else {
        this.#modules.delete(name);
        const because = isDisabled ? 'server-disabled' : now ? 'replaced' : 'removed';
        if (supervised.module.state.state !== 'idle') onEvent({ kind: 'leaves', name, because });
        void this.#leave(name, supervised.module);
      }
    }
    for (const entry of entries) {
      // Its predecessor of the same name ends first.
      if (!this.#modules.has(entry.name) && !this.#leaving.has(entry.name)) this.#add(entry);
    }
    this.#releaseFrom(before);
  }

  /** Starts what waited for modules that it no longer depends on. */
  #releaseFrom(before: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const [name, others] of before) {
      const now = this.#dependencies.get(name);
      for (const other of others) if (now?.has(other) !== true) this.#release(name, other);
    }
  }

  /** How a module is run applies from its next start. One that waits for that is started at once. */
  #noteSetup(supervised: Supervised): void {
    const { entry, module, setup } = supervised;
    supervised.setup = this.#setupOf(entry);
    const { state } = module.state;
    if (supervised.setup === setup || state === 'idle') return;
    if (state === 'backing-off') module.tell({ event: 'waited' });
    else this.#options.onEvent({ kind: 'setup-changed', name: entry.name });
  }

  #setupOf({ name, env, extra }: ModuleEntry): string {
    const { run, envAllow } = this.#terms(name);
    const { restartStatus: _, onUnclearStatus: _asked, ...setup } = run;
    return JSON.stringify([env, extra, setup, envAllow]);
  }

  /** Ends a module whose entry left the config. Its package and its data stay. */
  async #leave(name: string, module: SupervisedModule): Promise<void> {
    this.#leaving.set(name, module);
    module.tell({ event: 'remove' });
    await this.#until(() => module.state.state === 'idle');
    this.#leaving.delete(name);
    this.#notify();
    if (this.#configuration) this.follow(this.#configuration);
  }

  #add(entry: ModuleEntry): void {
    const { name, moduleId } = entry;
    const { ports, file, clock, random, onEnd, onEvidence, onEvent } = this.#options;
    const module = new SupervisedModule({
      name,
      moduleId,
      file,
      clock,
      random,
      onEnd,
      terms: () => this.#terms(name).run,
      start: (run, reports) => ports.moduleProcess(run, this.#startOf(name), reports),
      onEvidence: (evidence) => onEvidence(entry, evidence),
      onState: (state, { failed, waitMs }) => {
        const version = failed?.version ?? versionOf(state);
        const about = { kind: 'module', name, state: state.state } as const;
        onEvent({ ...about, version, reason: failed?.fault.reason, waitMs });
        this.#notify();
        if (name === this.#server) this.#followServer(name);
      },
      onTrouble: (error) => onEvent({ kind: 'module-waits-for-file', name, error }),
    });
    this.#modules.set(name, { entry, module, setup: this.#setupOf(entry) });
    const row = resumedWith(file, entry);
    if (!row) return;
    const missing = this.#missing(name);
    if (missing.length > 0) onEvent({ kind: 'waiting', name, for: missing });
    for (const other of missing) this.#holdsOf(name).add(other);
    module.tell({ event: 'resume', row, isHeld: missing.length > 0 });
  }

  #startOf(name: string): ModuleStart {
    const { ports, site, clock, runId, cgroups, onLine, onEvent, onMissing } = this.#options;
    return {
      clock,
      cgroups,
      mark: `${runId}/${name}/${++this.#starts}/`,
      terms: () => this.#terms(name).run,
      runnable: async (run: Installed) => {
        const entry = this.#modules.get(name)?.entry;
        const reason = 'its entry is no longer in the config';
        if (!entry)
          return await Promise.resolve({ ok: false, error: { reason, blame: 'machine' } });
        if (entry.type !== 'local' && !ports.isInstalled(run.root)) onMissing(name);
        return ports.runnableFor(entry, run, { terms: this.#terms(name), site });
      },
      onLine: (line) => onLine(name, line),
      onStarted: ({ version }, of) => onEvent({ kind: 'started', name, version, ...of }),
      onStopped: ({ version }, killedAfterMs) => {
        onEvent({ kind: 'stopped', name, version, killedAfterMs });
      },
    };
  }

  #terms(name: string): UpdateTerms {
    return this.#configuration ? termsFor(this.#configuration.policy, name) : DEFAULT_TERMS;
  }

  /** The modules that `name` waits for. */
  #missing(name: string): string[] {
    return [...(this.#dependencies.get(name) ?? [])].filter((other) => !this.#isUp(other));
  }

  #holdsOf(name: string): Set<string> {
    const holds = this.#holds.get(name) ?? new Set<string>();
    this.#holds.set(name, holds);
    return holds;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    for (const [name, holds] of this.#holds) {
      for (const other of holds) if (this.#isUp(other)) this.#release(name, other);
    }
  }

  /**
   * Runs `begin`, and then `replace` while what stops with the target is held: what it needs itself, and nothing for another
   * action of its restart. Nothing has stopped before `begin` resolves. The server waits until no module is on trial, and none
   * is tried until it is replaced: a release would be blamed for the server's absence (D47). Throws a DatabaseError if the file
   * cannot be written.
   */
  async whileHeld<T>(
    action: CommittedAction,
    work: { readonly begin: () => Promise<void>; readonly replace: () => Promise<T> },
  ): Promise<T> {
    const isServer = action.target.name === this.#server;
    const stopping = (): readonly string[] =>
      this.#configuration ? stoppedBy(action, this.#configuration.machine) : [];
    let names: readonly string[] = [];
    try {
      this.#isServerReplaced ||= isServer;
      if (isServer)
        await this.#until(() => stopping().every((other) => !this.#isIn(other, ON_TRIAL)));
      await work.begin();
      names = stopping();
      for (const other of names) await this.#hold(other, action.id);
      return await work.replace();
    } finally {
      if (isServer) this.#isServerReplaced = false;
      for (const other of names.toReversed()) this.#release(other, action.id);
      this.#notify();
    }
  }

  /** The modules stop with the server, and start after it (A17). One that is being tried goes on. */
  #followServer(server: string): void {
    if (this.#isUp(server)) return;
    for (const name of this.#modules.keys()) {
      if (name === server || this.#holds.get(name)?.has(server)) continue;
      this.#holdsOf(name).add(server);
      this.of(name)?.tell({ event: 'hold' });
    }
  }

  #isIn(name: string, states: ReadonlySet<Lifecycle['state']>): boolean {
    const state = this.of(name)?.state.state;
    return state !== undefined && states.has(state);
  }

  #isUp(name: string): boolean {
    return this.#isIn(name, UP);
  }

  /** The state of a module that is ready. */
  readyState(name: string): Extract<Lifecycle, { state: 'running' }> | undefined {
    const state = this.of(name)?.state;
    return state?.state === 'running' ? state : undefined;
  }

  /** Whether a version may be tried: the server works, and is not being replaced, or `name` does not need it. */
  isServed(name: string): boolean {
    if (this.#server === undefined || name === this.#server) return true;
    return this.#isUp(this.#server) && !this.#isServerReplaced;
  }

  /** Resolves once `isServed` is true. Rejects with the reason of `signal`. */
  async untilServed(name: string, signal: AbortSignal): Promise<void> {
    this.#options.onEvent({ kind: 'waiting', name, for: [SERVER] });
    const wake = (): void => this.#notify();
    signal.addEventListener('abort', wake);
    await this.#until(() => signal.aborted || this.isServed(name));
    signal.removeEventListener('abort', wake);
    signal.throwIfAborted();
  }

  /** Ends a module until `release` is called with the same reason. Resolves once it has ended, or is tried instead. */
  async #hold(name: string, reason: string): Promise<void> {
    const module = this.of(name);
    if (!module) return;
    this.#holdsOf(name).add(reason);
    // A module that is being tried is not held: its own action goes on.
    if (!module.send({ event: 'hold' })) return;
    await this.#until(() => module.state.state !== 'stopping');
  }

  #release(name: string, reason: string): void {
    const holds = this.#holdsOf(name);
    if (holds.delete(reason) && holds.size === 0) this.of(name)?.tell({ event: 'release' });
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await this.#changed.promise;
  }

  /** Ends all modules: dependents before what they depend on, and also what leaves and waits for a file that takes nothing. */
  async stop(): Promise<void> {
    this.#configuration = undefined;
    for (const module of this.#leaving.values()) module.tell({ event: 'shut-down' });
    await this.#until(() => this.#leaving.size === 0);
    for (const layer of stopLayers([...this.#modules.keys()], this.#dependencies)) {
      const modules = layer.flatMap((name) => this.of(name) ?? []);
      for (const module of modules) module.tell({ event: 'shut-down' });
      await this.#until(() => modules.every((module) => AT_REST.has(module.state.state)));
    }
  }
}
