import type { ActionTarget } from '../core/index.ts';
import { deployedText } from '../core/decision/deployed.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import type { Configuration } from '../poller/index.ts';
import { systemRandom } from '../registry/clock.ts';
import { systemClock } from '../registry/index.ts';
import { DatabaseError } from '../store/index.ts';
import { activationsIn } from '../store/activations.ts';
import type { AgentOptions } from './agent-options.ts';
import { carryOut, type Execution } from './carry-out.ts';
import { installTurns } from './install/turns.ts';
import { Modules } from './modules.ts';
import { Outcomes } from './outcomes.ts';
import type { AgentPorts } from './ports.ts';
import type { ModuleSite } from './runnable.ts';
import { delegatedCgroup } from './process/cgroup.ts';
import { runIdOf } from './process/process-table.ts';

const LOCAL_MACHINE = 'local';

/** The modules of one machine, and the poller that decides on them: what `Agent` does, on the ports of any machine. */
export class SupervisedMachine {
  readonly #options: AgentOptions;
  readonly #ports: AgentPorts;
  readonly #modules: Modules;
  readonly #poller: ReturnType<AgentPorts['poller']>;
  readonly #execution: Execution;
  readonly #stopping = new AbortController();
  #configuration: Configuration | undefined;
  #starting: Promise<void> | undefined;
  #running: Promise<void> | undefined;

  constructor(options: AgentOptions, ports: AgentPorts) {
    const { file, home, platform, environment, onEvent = ignore, onLine = ignore } = options;
    const { clock = systemClock, random = systemRandom } = options;
    const machineId = options.machineId ?? (environment['PLATFORM_PART_ID'] || LOCAL_MACHINE);
    const site = { home, machineId, platform, environment };
    const runId = runIdOf(home);
    const outcomes = new Outcomes();
    this.#options = options;
    this.#ports = ports;
    this.#modules = new Modules({
      ports,
      file,
      site,
      clock,
      random,
      runId,
      cgroups: delegatedCgroup(),
      onEvent,
      onLine,
      onEnd: (end) => outcomes.note(end),
      onMissing: (name) => this.#installMissing(name),
      onReport: (entry, failure) => this.#report(entry, failure),
    });
    this.#poller = this.#pollerOf(site);
    this.#execution = {
      ports,
      modules: this.#modules,
      outcomes,
      site,
      clock,
      runId,
      onEvent,
      onLine,
      fetch: options.fetch ?? (() => ({})),
      turns: installTurns(),
      stopping: this.#stopping.signal,
    };
  }

  #pollerOf({ machineId, home, environment }: ModuleSite): ReturnType<AgentPorts['poller']> {
    const options = this.#options;
    return this.#ports.poller({
      ...options,
      machineId,
      environment: { ...environment, PLATFORM_HOME: home },
      configuration: async () => {
        const configuration = await options.configuration();
        this.#configuration = configuration;
        this.#modules.follow(configuration);
        return configuration;
      },
      deployedVersion: (target) => this.#deployed(target),
    });
  }

  /**
   * Starts what is deployed, and then the poller, once no process of an earlier agent is left. Rejects if the configuration
   * or the machine's file cannot be read.
   */
  async start(): Promise<void> {
    this.#starting = this.#begin();
    await this.#starting;
  }

  async #begin(): Promise<void> {
    const first = await this.#options.configuration();
    await this.#untilAlone();
    await this.#removeUnused();
    if (this.#stopping.signal.aborted) return;
    this.#configuration = first;
    this.#reconcile(first);
    this.#modules.follow(first);
    this.#poller.start();
    this.#running = this.#consume();
  }

  /** Kills what an earlier agent left. A process that waits for a device ends late, and must not run beside its module. */
  async #untilAlone(): Promise<void> {
    const { onEvent = ignore } = this.#options;
    for (let isAlone = false; !isAlone && !this.#stopping.signal.aborted;) {
      const { count, isOver } = await this.#ports.killMarked(`${this.#execution.runId}/`);
      if (count > 0) onEvent({ kind: 'orphans', count, areLeft: !isOver });
      isAlone = isOver;
    }
  }

  /** Modules run also if a folder cannot be read or an old package cannot be removed. */
  async #removeUnused(): Promise<void> {
    const { home, file, onEvent = ignore } = this.#options;
    const terms = { kept: keptIn(file), now: this.#execution.clock.now() };
    await this.#ports.removeUnused(home, terms).catch((error: unknown) => {
      onEvent({ kind: 'not-removed', error });
    });
  }

  /** Ends all modules, and then the poller. What was begun goes on with the next agent. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the agent was stopped'));
    await this.#starting?.catch(ignore);
    await this.#modules.stop();
    await this.#poller.stop();
    await this.#running;
  }

  async #consume(): Promise<void> {
    const { onEvent = ignore } = this.#options;
    for await (const delivery of this.#poller.deliveries(this.#stopping.signal)) {
      void carryOut(delivery, this.#execution).catch((error: unknown) => {
        onEvent({ kind: 'callback-error', error });
      });
    }
  }

  /** What this agent does not run is not deployed, whatever was reported before. */
  #reconcile({ machine }: Configuration): void {
    const { file, clock = systemClock } = this.#options;
    const memory = file.state.memory();
    for (const { type, name, moduleId } of machine.modules) {
      const target = { kind: 'module', name, moduleId } as const;
      const isOpen = memory.open.some((open) => open.action.target.name === name);
      const { deployed } = memory.of(target);
      // Nothing else starts modules, so nothing runs on a machine without any record.
      const isUnknown = deployed.kind === 'unknown' && !memory.isBlank;
      if (type === 'local' || isOpen || isUnknown) continue;
      const own = this.#deployed(target);
      const known = deployed.kind === 'none' ? null : deployedText(deployed);
      if (own !== undefined && own !== known) file.state.report(target, own, clock.now());
    }
  }

  /** A version whose package is gone is not deployed, so the poller decides to install it (A5). */
  #installMissing(name: string): void {
    const { onEvent = ignore } = this.#options;
    if (!this.#configuration) return;
    try {
      this.#reconcile(this.#configuration);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      onEvent({ kind: 'module-waits-for-file', name, error });
    }
    this.#poller.look();
  }

  /**
   * What this agent has in use; what another program runs is not, because nothing else starts modules. A version whose
   * package is gone is installed again (A5).
   */
  #deployed(target: ActionTarget): string | null | undefined {
    if (target.kind === 'subsystem') return undefined;
    const record = activationsIn(this.#options.file).get(target.name);
    // What ran for an entry of another module does not count.
    if (record?.moduleId !== target.moduleId) return null;
    const { activation } = record;
    const installed = activation.phase === 'stable' ? activation.current : activation.previous;
    return installed && this.#ports.isInstalled(installed.root) ? installed.version : null;
  }

  #report(
    { type, name, moduleId }: ModuleEntry,
    { version, reason }: { readonly version: string; readonly reason: string },
  ): void {
    // A local module has no other version.
    if (type === 'local') return;
    const { onEvent = ignore } = this.#options;
    const target = { kind: 'module', name, moduleId } as const;
    void this.#poller
      .reportFailure(target, { version, reason, running: null })
      .catch((error: unknown) => onEvent({ kind: 'callback-error', error }));
  }
}

function ignore(): void {
  // Nobody listens.
}

/** The packages that must stay: current, previous and candidate ones. */
function keptIn(file: AgentOptions['file']): ReadonlySet<string> {
  const all = Array.from(activationsIn(file).values(), ({ activation }) =>
    activation.phase === 'stable'
      ? [activation.current, activation.previous]
      : [activation.candidate, activation.previous],
  );
  return new Set(all.flat().flatMap((installed) => installed?.root ?? []));
}
