import { LOCAL_MACHINE, machineIdIn } from '../config/machine-id.ts';
import type { ActionTarget } from '../core/index.ts';
import { deployedText } from '../core/decision/deployed.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import { termsFor } from '../core/machine/update-policy.ts';
import type { Configuration } from '../poller/index.ts';
import { systemClock, systemRandom, wholeMilliseconds } from '../registry/clock.ts';
import { DatabaseError } from '../store/index.ts';
import { activationOf, unbegunIn } from './activation.ts';
import type { AgentOptions } from './agent-options.ts';
import { carryOut, type Execution } from './carry-out.ts';
import { readManifest } from './install/manifest.ts';
import { installTurns } from './install/turns.ts';
import { Modules } from './modules.ts';
import { Outcomes } from './outcomes.ts';
import { Prefetch } from './prefetch.ts';
import type { AgentPorts } from './ports.ts';
import { Rebooting } from './rebooting.ts';
import { reportEvidence, type Reporting } from './report-evidence.ts';
import type { ModuleSite } from './runnable.ts';
import { followStart } from './follow-start.ts';
import { AGENT, SelfUpdate } from './self-update.ts';
import { hasServer, SERVER, supervisedEntries, targetOf } from './server.ts';
import type { Veto } from '../core/decision/timing-policies.ts';
import { Tidying } from './tidying.ts';
import { maintenanceOf, vetoesOf, type Asking } from './vetoes.ts';
import { delegatedCgroup } from './process/cgroup.ts';
import { runIdOf } from './process/process-table.ts';
import { askingPrograms } from './process/restart-status.ts';

const AGENT_TARGET = { kind: 'subsystem', name: AGENT } as const;

/** The modules of one machine, and the poller that decides on them: what `Agent` does, on the ports of any machine. */
export class SupervisedMachine {
  readonly #options: AgentOptions;
  readonly #ports: AgentPorts;
  readonly #modules: Modules;
  readonly #poller: ReturnType<AgentPorts['poller']>;
  readonly #execution: Execution;
  readonly #tidying: Tidying;
  readonly #prefetch: Prefetch;
  readonly #rebooting: Rebooting;
  readonly #stopping = new AbortController();
  #configuration: Configuration | undefined;
  #starting: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  readonly #reasons: Asking['reasons'] = new Map();
  readonly #reporting: Reporting = {
    poller: () => this.#poller,
    onError: (error) => this.#options.onEvent?.({ kind: 'callback-error', error }),
  };
  readonly #ask: Asking['ask'];

  constructor(options: AgentOptions, ports: AgentPorts) {
    const { file, home, platform, environment, onEvent = ignore, onLine = ignore } = options;
    const { random = systemRandom, secretOf } = options;
    const clock = wholeMilliseconds(options.clock ?? systemClock);
    const machineId = options.machineId ?? machineIdIn(environment) ?? LOCAL_MACHINE;
    const site = { home, machineId, platform, environment, secretOf };
    const runId = runIdOf(home);
    const cgroups = delegatedCgroup();
    const common = { ports, file, site, clock, runId, cgroups, onEvent, onLine };
    const outcomes = new Outcomes();
    this.#options = options;
    this.#ports = ports;
    this.#ask = askingPrograms(ports.restartStatusAt, (name, reason, isHeld) => {
      onEvent({ kind: 'restart-status', name, reason, isHeld });
    });
    this.#modules = new Modules({
      ...common,
      random,
      onEnd: (end) => outcomes.note(end),
      onMissing: (name) => this.#installMissing(name),
      onEvidence: (entry, evidence) => reportEvidence(entry, evidence, this.#reporting),
    });
    this.#rebooting = new Rebooting(file, clock, ports.bootId);
    this.#poller = this.#pollerOf(site);
    this.#execution = {
      ...common,
      modules: this.#modules,
      outcomes,
      selfUpdate: options.launched && new SelfUpdate(file, home, options.launched),
      fetch: options.fetch ?? (() => ({})),
      turns: installTurns(),
      stopping: this.#stopping.signal,
    };
    this.#tidying = new Tidying(this.#execution);
    const tidy = async (): Promise<boolean> => await this.#tidying.tidy();
    this.#prefetch = new Prefetch({ ...this.#execution, random, tidy });
  }

  #pollerOf({ home, environment }: ModuleSite): ReturnType<AgentPorts['poller']> {
    const options = this.#options;
    let hasBegun = false;
    return this.#ports.poller({
      ...options,
      environment: { ...environment, PLATFORM_HOME: home },
      configuration: async () => {
        // A file that has errors by now must not leave it without one: it then begins with that of the start (T353).
        const first = hasBegun ? undefined : this.#configuration;
        hasBegun = true;
        const reading = (async () => await options.configuration())();
        const configuration = await (first ? reading.catch(() => first) : reading);
        this.#configuration = configuration;
        this.#modules.follow(configuration);
        this.#forgetUnmanaged(configuration);
        return configuration;
      },
      deployedVersion: (target) => this.#deployed(target),
      isMaintenanceAllowed: async () => await this.#maintenance(),
      programSetup: (target) =>
        this.#configuration && this.#modules.programSetup(target, this.#configuration),
      vetoes: async (names, { isExact }) => await this.#vetoes(names, isExact),
      ...(this.#ports.bootId !== undefined && { bootId: this.#ports.bootId }),
      isUrgent: () => this.#rebooting.suspect !== undefined,
      onUpcoming: (upcoming) => {
        this.#rebooting.follow();
        this.#tidying.follow(upcoming);
        this.#prefetch.follow(upcoming);
      },
    });
  }

  /** As `Agent.start`. */
  async start(): Promise<void> {
    this.#starting = this.#begin();
    await this.#starting;
  }

  async #begin(): Promise<void> {
    const first = await this.#options.configuration();
    await this.#untilAlone();
    await this.#tidying.tidy();
    if (this.#stopping.signal.aborted) return;
    this.#configuration = first;
    this.#rebooting.begin(this.#modules, this.#stopping.signal);
    this.#reconcile(first);
    this.#forgetUnmanaged(first);
    this.#takeBackUnbegun();
    this.#modules.follow(first);
    this.#poller.start();
    void this.#reportSuspect(first);
    this.#followSelfUpdate(first);
    this.#running = this.#consume();
  }

  /** What an earlier agent got and did not begin waits as if it had never been delivered: a newer release may take its place (D72). */
  #takeBackUnbegun(): void {
    const { file } = this.#options;
    for (const { id, target } of unbegunIn(file))
      this.#writing(target.name, () => file.state.takeBack(id, this.#execution.clock.now()));
  }

  async #reportSuspect(configuration: Configuration): Promise<void> {
    try {
      await this.#rebooting.report(configuration, this.#poller);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#reporting.onError(error);
    }
  }

  #followSelfUpdate({ policy }: Configuration): void {
    const { selfUpdate, clock, stopping } = this.#execution;
    const { onEvent = ignore } = this.#options;
    if (!selfUpdate) return;
    void followStart(selfUpdate, {
      clock,
      stopping,
      probationMs: termsFor(policy, AGENT).run.probationMs,
      report: async (failure) => await this.#poller.reportFailure(AGENT_TARGET, failure),
      onError: (error) => onEvent({ kind: 'callback-error', error }),
    });
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
      const work = async (): Promise<void> => await carryOut(delivery, this.#execution);
      void this.#tidying.during(delivery, work).catch((error: unknown) => {
        onEvent({ kind: 'callback-error', error });
      });
    }
  }

  /** What this agent does not run is not deployed, whatever was reported before. */
  #reconcile({ machine }: Configuration): void {
    const { file } = this.#options;
    const { clock } = this.#execution;
    const memory = file.state.memory();
    const entries = supervisedEntries(machine).filter(({ type }) => type !== 'local');
    const targets = entries.map(targetOf);
    for (const target of [...targets, AGENT_TARGET]) {
      const isOpen = memory.open.some((open) => keyOf(open.action.target) === keyOf(target));
      const { deployed } = memory.of(target);
      // Nothing else starts modules, so nothing runs on a machine without any record.
      const isUnknown = deployed.kind === 'unknown' && !memory.isBlank;
      if (isOpen || isUnknown) continue;
      const own = this.#deployed(target);
      const known = deployed.kind === 'none' ? null : deployedText(deployed);
      if (own !== undefined && own !== known) file.state.report(target, own, clock.now());
    }
  }

  /** Nothing is decided about a server that the config no longer names, and about an agent that does not replace itself. */
  #forgetUnmanaged(configuration: Configuration): void {
    const { state } = this.#options.file;
    for (const name of [SERVER, AGENT] as const) {
      const target = { kind: 'subsystem', name } as const;
      if (this.#isManaged(name, configuration)) continue;
      this.#writing(name, () => {
        const { deployed, failed } = state.memory().of(target);
        if (deployed.kind !== 'unknown' || failed) state.forget(target);
      });
    }
  }

  /** Whether this agent runs the server, and whether it installs its own releases. */
  #isManaged(name: typeof SERVER | typeof AGENT, { machine, policy }: Configuration): boolean {
    if (name === SERVER) return hasServer(machine);
    return this.#execution.selfUpdate !== undefined && termsFor(policy, AGENT).run.selfUpdate;
  }

  async #maintenance(): Promise<boolean | 'forbidden'> {
    const run = this.#modules.readyState(SERVER)?.run;
    const { policy } = this.#configuration ?? {};
    const own = policy && termsFor(policy, SERVER).run.restartStatus;
    const address = run && (own ?? readManifest(run.root).restartStatus);
    return await maintenanceOf(address, this.#ask);
  }

  async #vetoes(names: readonly string[], isExact: boolean): Promise<Veto[]> {
    const configuration = this.#configuration;
    const { clock } = this.#execution;
    const asked = { modules: this.#modules, ask: this.#ask, reasons: this.#reasons };
    const asking = { ...asked, clock, isExact };
    return configuration ? await vetoesOf(names, configuration, asking) : [];
  }

  look(how: { readonly rereads?: boolean } = {}): void {
    this.#poller.look(how);
  }

  /** A version whose package is gone is not deployed, so the poller decides to install it (A5). */
  #installMissing(name: string): void {
    const configuration = this.#configuration;
    if (!configuration) return;
    this.#writing(name, () => this.#reconcile(configuration));
    this.#poller.look();
  }

  /** Reports that the file does not take what is written about `name`: it is written again later. */
  #writing(name: string, write: () => void): void {
    const { onEvent = ignore } = this.#options;
    try {
      write();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      onEvent({ kind: 'module-waits-for-file', name, error });
    }
  }

  /**
   * What this agent has in use; what another program runs is not, because nothing else starts modules. A version whose
   * package is gone is installed again (A5).
   */
  #deployed(target: ActionTarget): string | null | undefined {
    const { name } = target;
    if (target.kind === 'subsystem') {
      const configuration = this.#configuration;
      if (!configuration || !this.#isManaged(target.name, configuration)) return undefined;
      if (target.name === AGENT) return this.#execution.selfUpdate?.installed;
    }
    const activation = activationOf(this.#options.file, { name, moduleId: moduleOf(target) });
    if (!activation) return null;
    const installed = activation.phase === 'stable' ? activation.current : activation.previous;
    return installed && this.#ports.isInstalled(installed.root) ? installed.version : null;
  }
}

// Nobody listens.
function ignore(): void {}
