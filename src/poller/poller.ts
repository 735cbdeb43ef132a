import type { ActionTarget, Plan } from '../core/index.ts';
import { targetsIn, type ClaimedFile, type MachineTarget } from '../store/index.ts';
import { startUpOf } from '../core/machine/start-up.ts';
import { loggedDecisions } from '../core/plan/logged-decisions.ts';
import { keyOf } from '../core/plan/target.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { expectArgument, optional, SIGNAL } from '../core/text/argument.ts';
import { quote } from '../core/text/quote.ts';
import { askDeployed } from './ask-deployed.ts';
import {
  checkedReleaseFailure,
  checkedTarget,
  checkedWorking,
  type Delivery,
  type FailureReport,
} from './delivery.ts';
import { checkingAnswers, expectOptions } from './expected-options.ts';
import { homeOf } from './module-setup.ts';
import { nextDelivery, withdrawOverdue } from './next-delivery.ts';
import { inputsOf } from './planner.ts';
import type { PollerOptions } from './poller-options.ts';
import { partsFor, type PollerParts } from './poller-parts.ts';
import { keepRunning } from './polling.ts';
import { firstPhase } from './schedule.ts';
import { knownFiles } from './unread-files.ts';
import { upcomingIn } from './upcoming.ts';
import { beginRequestedRounds, endUpgradeRequests } from './upgrade-requests.ts';
import { Wakeup } from './wakeup.ts';

/** The running poller of each file. Other processes cannot open a claimed file for a poller. */
const POLLERS = new WeakMap<ClaimedFile, Poller>();

/**
 * Plans one machine repeatedly, and delivers its actions. An action is on disk before it is delivered. The consumer that
 * gets it keeps it until it acknowledges it. If that process or consumer ends first, the action is delivered again, with
 * the same id. Another action replaces it only while no consumer has it.
 *
 * @example
 * ```ts
 * import { DEFAULT_POLICY, readMachine } from 'modreg/config';
 * import { Poller, type Configuration, type PollerEvent } from 'modreg/poller';
 * import { openRegistries } from 'modreg/registry';
 * import { openForPoller } from 'modreg/store';
 * import { readFileSync } from 'node:fs';
 *
 * function configuration(): Configuration {
 *   const machine = readMachine(readFileSync('machine.json'));
 *   if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join('\n'));
 *   const terms = { ...DEFAULT_POLICY.terms, registry: 'https://registry.example' };
 *   return { machine: machine.value, policy: { ...DEFAULT_POLICY, terms } };
 * }
 *
 * const { registryFor } = openRegistries();
 * const file = openForPoller('machine.db');
 * const onEvent = ({ kind }: PollerEvent): void => console.error(kind);
 * const poller = new Poller({ file, configuration, registryFor, platform: 'linux/arm64', onEvent });
 * poller.start();
 * for await (const { action, done } of poller.deliveries()) {
 *   console.log(`${action.target.name}: ${action.to}, ${action.reason.text}`);
 *   await done();
 * }
 * ```
 */
export class Poller {
  readonly #options: PollerOptions;
  readonly #parts: PollerParts;
  /** Woken when there may be something to deliver. */
  readonly #offers: Wakeup;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;
  /** When it started, if that is on disk. */
  #startedAt: number | undefined;

  /** Throws a RangeError if `intervalMs` or `acknowledgeWithinMs` is out of range, or `machineId` is no path segment. */
  constructor(options: PollerOptions) {
    expectOptions(options);
    this.#options = options;
    this.#parts = partsFor(checkingAnswers(options));
    this.#offers = new Wakeup(this.#parts.polling.clock);
  }

  /** Starts polling. Throws if it was started before, or if another poller of this process polls the file. */
  start(): void {
    if (this.#running)
      throw new Error('this poller was already started, and can be started only once');
    const { file } = this.#options;
    if (POLLERS.has(file)) {
      throw new Error(`another poller is already polling ${quote(file.path)}`);
    }
    const { gate, state, polling } = this.#parts;
    const { signal } = this.#stopping;
    const now = polling.clock.now();
    gate.begin(state.read(), file);
    if (state.write((to) => to.start(now, this.#options.bootId))) this.#startedAt = now;
    POLLERS.set(file, this);
    this.#running = Promise.all([
      keepRunning(() => this.#readLists(signal), polling, signal),
      keepRunning(() => this.#planAgain(signal), polling, signal),
    ]);
  }

  /** Ends all iterators and all work. Delivered actions can still be acknowledged. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the poller was stopped'));
    this.#parts.outbox.stop();
    await this.#running;
    const { file } = this.#options;
    if (POLLERS.get(file) !== this) return;
    POLLERS.delete(file);
    this.#parts.planner.countHolds(this.#parts.state);
    const startedAt = this.#startedAt;
    // Only starts of agents that crashed or were killed count for a crash loop (T57).
    if (startedAt !== undefined) this.#parts.state.write((to) => to.end(startedAt));
  }

  /** Plans the machine again at once, without contacting a registry. With `rereads`, it reads its configuration again first. */
  look({ rereads = false }: { readonly rereads?: boolean } = {}): void {
    if (rereads) this.#parts.lists.reread();
    else this.#parts.changes.wake();
  }

  /**
   * The modules and subsystems as the machine's file has them since the last plan: what is deployed, where, and what comes next. The
   * same as `targetsIn` of `modreg/store` in another process. Throws a DatabaseError if the file cannot be read.
   */
  targets(): MachineTarget[] {
    const { file, environment = {} } = this.#options;
    return targetsIn(file, { home: homeOf({ path: file.path, environment }) });
  }

  /**
   * Reports that a version does not work on this machine, at any time: it is quarantined, and rolled back if it is deployed. A
   * delivered action that deploys it ends. Resolves once the report is on disk, or in memory while the disk is full. Rejects with a
   * TypeError if an argument has an unexpected value, and with the reason of the end if the poller is stopped before its first round.
   */
  async reportFailure(
    target: ActionTarget,
    failure: Pick<FailureReport, 'reason' | 'running'> & {
      /** The version that failed. */
      readonly version: string;
      /** `undecided`: the version before it, which worked, fails in the same way (D80). `release` by default. */
      readonly blame?: 'release' | 'undecided' | undefined;
    },
  ): Promise<void> {
    const checked = checkedTarget('reportFailure', target);
    const reported = checkedReleaseFailure(failure);
    const { configuration, outbox } = this.#parts;
    // Only the policy says how long the quarantine lasts (D13), and an agent may report as soon as it starts.
    if (!configuration.current) await configuration.begun(this.#stopping.signal);
    outbox.reportFailure(checked, reported);
  }

  /**
   * Reports that the deployed version has worked for its probation: what is undecided because it failed may be tried again. If it
   * has worked for an hour, its own failure is over (D80). Resolves and rejects as `reportFailure` does.
   */
  async reportWorking(
    target: ActionTarget,
    working: { readonly version: string; readonly isProven: boolean },
  ): Promise<void> {
    const checked = checkedTarget('reportWorking', target);
    this.#parts.outbox.reportWorking(checked, checkedWorking(working));
    await Promise.resolve();
  }

  /**
   * Yields actions when they are due, each to one iterator. The next does not wait for the acknowledgement of the last.
   * Ends when `signal` is aborted or the poller stops. Another iterator then gets the actions that were not acknowledged.
   * Rejects if it is read before `start`.
   */
  async *deliveries(signal?: AbortSignal): AsyncGenerator<Delivery, void, undefined> {
    expectArgument('deliveries()', 'signal', signal, optional(SIGNAL));
    // Nothing would ever be delivered (D314).
    if (!this.#running) {
      throw new Error('deliveries(): this poller was not started, and plans nothing: call start()');
    }
    const ending = AbortSignal.any([this.#stopping.signal, ...(signal ? [signal] : [])]);
    const consumer = Symbol('consumer');
    const { clock } = this.#parts.polling;
    const parts = { ...this.#parts, clock, consumer };
    const release = (): void => this.#release(consumer);
    ending.addEventListener('abort', release, { once: true });
    try {
      while (!ending.aborted) {
        const seen = this.#offers.count;
        const delivery = await nextDelivery(parts, ending);
        if (delivery) yield delivery;
        else await this.#offers.wait(seen, parts.outbox.untilNextDue(), ending);
      }
    } catch (error) {
      if (!ending.aborted) throw error;
    } finally {
      ending.removeEventListener('abort', release);
      release();
    }
  }

  #release(consumer: symbol): void {
    this.#parts.outbox.release(consumer);
    this.#offers.wake();
  }

  async #readLists(signal: AbortSignal): Promise<void> {
    const { configuration, lists, polling } = this.#parts;
    const current = await configuration.read(signal);
    if (lists.rounds > 0) return await lists.run(signal);
    const { clock, intervalMs, random } = polling;
    const phase = firstPhase(intervalMs, random());
    const { file, isUrgent, environment = {} } = this.#options;
    const isChecked = !current || startUpOf(current.machine.agent, environment).checksForUpdates;
    // The operator of a new machine waits for its first action (D73), and a release that ends the machine for its fix (D85).
    if ((isChecked && file.isNew) || isUrgent?.() === true) {
      return await lists.run(signal, clock.monotonic() + phase);
    }
    // Fast start skips the first check, so the first round is one interval later (D28).
    await clock.sleep(phase + (isChecked ? 0 : intervalMs), signal);
    await lists.run(signal);
  }

  async #planAgain(signal: AbortSignal): Promise<void> {
    const { changes, planner } = this.#parts;
    while (!signal.aborted) {
      const seen = changes.count;
      // The first wake-up is the first answer of a registry. Nothing can be decided before it.
      const plan = seen === 0 ? undefined : await this.#planOnce(signal);
      await changes.wait(seen, planner.untilNextChange(plan), signal);
    }
  }

  async #planOnce(signal: AbortSignal): Promise<Plan | undefined> {
    const { configuration, outbox, planner } = this.#parts;
    const { deployedVersion } = this.#options;
    if (!configuration.current) return undefined;
    if (deployedVersion)
      await askDeployed(configuration.current, { ...this.#parts, deployedVersion }, signal);
    outbox.retryAcknowledgements();
    planner.countHolds(this.#parts.state);
    beginRequestedRounds(configuration.current, this.#parts);
    withdrawOverdue(this.#parts);
    return await planner.asking((plan) => {
      if (plan) this.#commit(plan);
      return plan;
    }, signal);
  }

  #deploy(plan: Plan, memory: MachineMemory, only: string | undefined): void {
    const { configuration, lists, outbox } = this.#parts;
    if (!configuration.current) return;
    const files = knownFiles(configuration.current, lists);
    outbox.commit(files.planned(plan), memory, only);
    this.#options.onUpcoming?.(upcomingIn(plan, memory, this.#parts).filter(files.isKnown));
  }

  /** Commits the actions of a plan that was made just now, and logs its decisions. */
  #commit(plan: Plan): void {
    const { begun, gate, lists, outbox, planner, polling, state } = this.#parts;
    const memory = state.read();
    // The next plan may be made after the outage.
    if (!memory) return state.settle();
    begun.quarantineOf(memory);
    begun.holdsOf(plan, memory);
    endUpgradeRequests(plan, memory, { state, now: polling.clock.now() });
    planner.noteHeld(plan, memory, state);
    const mayCommit = gate.mayCommit(memory, lists);
    const only = mayCommit ? undefined : gate.onlyTarget(memory);
    if (mayCommit || only !== undefined) {
      this.#deploy(plan, memory, only);
    }
    const blocking = new Map(
      outbox
        .due()
        .map((open) => [keyOf(open.action.target), planner.blockingDependency(open, state.read())]),
    );
    const decisions = loggedDecisions(plan, blocking);
    state.write((file) => file.log(decisions, lists.lastRound, inputsOf(plan)));
    state.settle();
    this.#offers.wake();
  }
}
