import type { ActionTarget } from '../core/index.ts';
import type { Activation } from '../core/machine/activation.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { DEFAULT_TERMS, termsFor, type UpdateTerms } from '../core/machine/update-policy.ts';
import { entrySetup } from '../core/plan/entry-setup.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { Configuration } from '../poller/index.ts';
import type { ProgramSetup } from '../poller/poller-options.ts';
import type { CommittedAction } from '../store/index.ts';
import { resumedWith } from './activation.ts';
import { Changes } from './changes.ts';
import type { ModuleStart } from './module-process.ts';
import { endOf, ModuleHolds } from './module-holds.ts';
import { moduleStart, runSetup } from './module-start.ts';
import { noteEarlier } from './note-earlier.ts';
import type { ModulesOptions } from './modules-options.ts';
import { dependenciesOn, hasServer, SERVER, stoppedBy, supervisedEntries } from './server.ts';
import type { Supervised } from './supervised-entry.ts';
import { SupervisedModule } from './supervised-module.ts';
import { endedDependencies, stopLayers } from './supervision/dependencies.ts';
import { AT_REST, ON_TRIAL, UP, versionOf, type Lifecycle } from './supervision/lifecycle.ts';

/** The supervised modules of a machine: those that its config has, started after the modules that they depend on. */
export class Modules {
  readonly #options: ModulesOptions;
  readonly #modules = new Map<string, Supervised>();
  /** Modules that end, because their entries left the config. */
  readonly #leaving = new Map<string, Supervised>();
  readonly #holds = new ModuleHolds();
  #configuration: Configuration | undefined;
  /** The name of the server, if the agent runs it. */
  #server: string | undefined;
  #isServerReplaced = false;
  #dependencies: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  readonly #changes = new Changes();
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

  /** What of the configuration reaches the program of a target (D82), also while modules end; undefined if it has no entry. */
  programSetup(target: ActionTarget, configuration: Configuration): ProgramSetup | undefined {
    const entry = configuration.machine.modules.find(({ name }) => name === target.name);
    if (entry?.moduleId !== moduleOf(target)) return undefined;
    const supervised = this.entryOf(target) && this.#modules.get(entry.name);
    return { now: entrySetup(entry, configuration), started: supervised?.started };
  }

  /** Supervises the entries of this configuration, and ends the modules whose entries it does not have. */
  follow(configuration: Configuration): void {
    this.#configuration = configuration;
    const { machine } = configuration;
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
        if (supervised.module.state.state !== 'idle')
          this.#options.onEvent({ kind: 'leaves', name, because });
        void this.#leave(name, supervised);
      }
    }
    for (const entry of entries) {
      // Its predecessor of the same name ends first.
      if (!this.#modules.has(entry.name) && !this.#leaving.has(entry.name)) this.#add(entry);
    }
    for (const [name, other] of endedDependencies(before, this.#dependencies))
      this.#release(name, other);
  }

  /** How a module is run applies from its next start. One that waits for that is started at once. */
  #noteSetup(supervised: Supervised): void {
    const { entry, module, setup } = supervised;
    supervised.setup = runSetup(entry, this.#terms(entry.name));
    const { state } = module.state;
    if (supervised.setup === setup || state === 'idle') return;
    if (state === 'backing-off') module.tell({ event: 'waited' });
    else this.#options.onEvent({ kind: 'setup-changed', name: entry.name });
  }

  /** Ends a module whose entry left the config. Its package and its data stay. */
  async #leave(name: string, supervised: Supervised): Promise<void> {
    const { module } = supervised;
    this.#leaving.set(name, supervised);
    module.tell({ event: 'remove' });
    await this.#changes.until(() => module.state.state === 'idle');
    this.#leaving.delete(name);
    for (const [other, why] of this.#holds) if (why === endOf(name)) this.#release(other, why);
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
    const setup = runSetup(entry, this.#terms(name));
    const after = new Set(this.#leaving.keys());
    this.#modules.set(name, { entry, module, setup, started: undefined, after });
    if (this.#configuration) noteEarlier(entry, this.#configuration, this.#options);
    const row = resumedWith(file, entry);
    if (row) this.#resume(module, name, row);
  }

  #resume(module: SupervisedModule, name: string, row: Activation): void {
    const missing = [...(this.#dependencies.get(name) ?? [])].filter((one) => !this.#isUp(one));
    const ending = this.#endingOf(name);
    if (missing.length + ending.length > 0)
      this.#options.onEvent({ kind: 'waiting', name, for: [...missing, ...ending] });
    for (const hold of [...missing, ...ending.map(endOf)]) this.#holds.add(name, hold);
    module.tell({ event: 'resume', row, isHeld: this.#holds.isHeld(name) });
  }

  #startOf(name: string): ModuleStart {
    return moduleStart(name, this.#options, {
      number: ++this.#starts,
      terms: () => this.#terms(name),
      begin: () => {
        const supervised = this.#modules.get(name);
        if (supervised && this.#configuration)
          supervised.started = entrySetup(supervised.entry, this.#configuration);
        return supervised?.entry;
      },
    });
  }

  #terms(name: string): UpdateTerms {
    return this.#configuration ? termsFor(this.#configuration.policy, name) : DEFAULT_TERMS;
  }

  #notify(): void {
    this.#changes.notify();
    for (const [name, other] of this.#holds) if (this.#isUp(other)) this.#release(name, other);
  }

  /**
   * Runs `begin`, and then `replace` while what stops with the target is held: what it needs itself, and nothing for another
   * action of its restart. Nothing has stopped before `begin` resolves. The server waits until no module is on trial, and none
   * is tried until it is replaced: a release would be blamed for the server's absence (D47). Throws a DatabaseError if the file
   * cannot be written.
   */
  async whileHeld<T>(
    action: CommittedAction,
    work: {
      readonly begin: () => Promise<void>;
      readonly replace: (hasStopped: boolean) => Promise<T>;
    },
  ): Promise<T> {
    const isServer = action.target.name === this.#server;
    const stopping = (): readonly string[] =>
      this.#configuration ? stoppedBy(action, this.#configuration.machine) : [];
    let names: readonly string[] = [];
    try {
      this.#isServerReplaced ||= isServer;
      if (isServer)
        await this.#changes.until(() => stopping().every((other) => !this.#isIn(other, ON_TRIAL)));
      await work.begin();
      names = stopping();
      for (const other of names) await this.#hold(other, action.id);
      return await work.replace(names.length > 0);
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
      if (name === server || this.#holds.has(name, server)) continue;
      this.#holds.add(name, server);
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

  /**
   * The entries that a version waits for before it is tried: the server unless it works, and those of its module, or in whose
   * place it is, that have left the config and still end (A16).
   */
  inTheWayOf(name: string): readonly string[] {
    return [...(this.#isServed(name) ? [] : [SERVER]), ...this.#endingOf(name)];
  }

  /** What ends has the device or the port of the entry that takes its place (D84). */
  #endingOf(name: string): string[] {
    const { entry, after } = this.#modules.get(name) ?? {};
    const ending = Array.from(this.#leaving.values(), (one) => one.entry);
    const isBefore = (one: ModuleEntry): boolean =>
      one.moduleId === entry?.moduleId || after?.has(one.name) === true;
    return ending.filter(isBefore).map((one) => one.name);
  }

  /** Whether the server works, and is not being replaced, or `name` does not need it. */
  #isServed(name: string): boolean {
    if (this.#server === undefined || name === this.#server) return true;
    return this.#isUp(this.#server) && !this.#isServerReplaced;
  }

  /** Resolves once nothing is in the way of `name`. Rejects with the reason of `signal`. */
  async untilFree(name: string, signal: AbortSignal): Promise<void> {
    this.#options.onEvent({ kind: 'waiting', name, for: this.inTheWayOf(name) });
    await this.#changes.until(() => this.inTheWayOf(name).length === 0, signal);
  }

  /** Resolves once what left the config under `name` has ended. Rejects with the reason of `signal`. */
  async untilLeft(name: string, signal: AbortSignal): Promise<void> {
    await this.#changes.until(() => !this.#leaving.has(name), signal);
  }

  /** Keeps a module that has not started from it, until what is returned is called (D85). */
  holdBeforeStart(name: string, reason: string): () => void {
    this.#holds.add(name, reason);
    return () => this.#release(name, reason);
  }

  /** Ends a module until `release` is called with the same reason. Resolves once it has ended, or is tried instead. */
  async #hold(name: string, reason: string): Promise<void> {
    const module = this.of(name);
    if (!module) return;
    this.#holds.add(name, reason);
    // A module that is being tried is not held: its own action goes on.
    if (!module.send({ event: 'hold' })) return;
    await this.#changes.until(() => module.state.state !== 'stopping');
  }

  #release(name: string, reason: string): void {
    if (this.#holds.end(name, reason)) this.of(name)?.tell({ event: 'release' });
  }

  /** Ends all modules: dependents before what they depend on, and also what leaves and waits for a file that takes nothing. */
  async stop(): Promise<void> {
    this.#configuration = undefined;
    for (const { module } of this.#leaving.values()) module.tell({ event: 'shut-down' });
    await this.#changes.until(() => this.#leaving.size === 0);
    for (const layer of stopLayers([...this.#modules.keys()], this.#dependencies)) {
      const modules = layer.flatMap((name) => this.of(name) ?? []);
      for (const module of modules) module.tell({ event: 'shut-down' });
      await this.#changes.until(() => modules.every((module) => AT_REST.has(module.state.state)));
    }
  }
}
