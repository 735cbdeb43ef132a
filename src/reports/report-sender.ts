import { createHash } from 'node:crypto';
import { describeDuration } from '../core/text/duration.ts';
import { excerpt } from '../core/text/quote.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import { START, stepAfter } from '../logs/pace.ts';
import type { Answer } from '../logs/collector.ts';
import type { Clock } from '../registry/clock.ts';
import type { FleetClient, ReportReply } from '../registry/fleet-client.ts';
import type { MachineReport, ReportedModule } from '../registry/machine-report.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { unlessUnusable } from '../sqlite/database-error.ts';
import type { MachineState } from '../store/machine-state.ts';
import type { OutboundFile } from './outbound-file.ts';
import { reportedOutcome } from './reported-state.ts';

/** The machine that reports, and how. */
export interface Reporter {
  /** The id of the machine. */
  readonly machine: string;
  /** The version of modreg. */
  readonly version: string;
  readonly platform: string;
  /** The group of the machine now (D108); undefined if it is in none. */
  readonly group?: (() => string | undefined) | undefined;
  /** How often the machine asks this registry at least, in milliseconds; undefined if its lists come from another one (D186). */
  readonly everyMs?: (() => number | undefined) | undefined;
  /** Whether its policy names a trust document now (D177). */
  readonly isPinned?: (() => boolean) | undefined;
  /** What the system says of the clock (D460); undefined if it says nothing. */
  readonly isSynchronized?: (() => boolean | undefined) | undefined;
  readonly client: Pick<FleetClient, 'report'>;
  readonly state: Pick<MachineState, 'settled'>;
  /** What is reported now. */
  readonly modules: () => readonly ReportedModule[];
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Called when reports begin to wait, and when they are sent again. */
  readonly onNotice: (level: 'info' | 'warn', text: string) => void;
}

const HOUR_MS = 3_600_000;
/** A state that has not changed is sent again after 20 to 24 hours. */
const LEAST_DAILY_MS = 20 * HOUR_MS;
const DAILY_SPREAD_MS = 4 * HOUR_MS;
/** Between two reports of outcomes: after weeks offline, a machine has many. */
const THROTTLE_MS = 1000;
/** A clock that was set by more is reported, so that the registry knows it (D460). */
const CLOCK_STEP_MS = 60_000;
const MOST_BYTES = 256 * 1024;
/** The errors of a registry that may answer later. The others need a person. */
const TEMPORARY: ReadonlySet<string> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-busy',
]);

/** What is sent next. */
interface Next {
  readonly report: MachineReport;
  /** Of the state, if the report has one. */
  readonly digest: string | undefined;
  /** Of the clock when the report was made: the clock may be set before the answer is there. */
  readonly offset: number;
}

/** Sends the reports of one process, and remembers how that went. */
export class ReportSender {
  readonly #reporter: Reporter;
  /** Random, and another one for each process. */
  readonly #instance: string;
  #pace = START;
  #dailyMs = LEAST_DAILY_MS;
  /** The kind of answer that a notice was about, until a report is taken again. */
  #said: Answer['kind'] | undefined;
  /** Of the clock when the last state that this process sent was made; undefined before. */
  #sentAtOffset: number | undefined;
  /** Whether something is sent again because the registry asked for it, which has not taken a report since. */
  #sendsAgain = false;

  /** The actions that had ended before this process could report one, if the queue did not begin then. */
  #endedBefore: ReadonlySet<string> | undefined;

  constructor(reporter: Reporter, instance: string) {
    this.#reporter = reporter;
    this.#instance = instance;
  }

  /** Begins a new queue before this process carries out an action: what ends from now on is reported, also before the first report (T560). */
  begin(open: () => OutboundFile): void {
    const file = unlessUnusable(open);
    if (!unlessUnusable(() => file?.taken())) {
      const { state } = this.#reporter;
      const ended = unlessUnusable(() => state.settled(new Set()).map(({ action }) => action.id));
      this.#endedBefore = ended && new Set(ended);
      unlessUnusable(() => ended && file?.add([], ended));
    }
    file?.close();
  }

  /** Sends what has happened: the state first. Returns how long to wait if that is not possible now; undefined if all is sent. */
  async drain(file: OutboundFile, signal: AbortSignal): Promise<number | undefined> {
    const { clock, machine, client } = this.#reporter;
    this.#take(file);
    for (;;) {
      const next = this.#next(file);
      if (!next) return undefined;
      let answer: Answer;
      try {
        const reply = await client.report(machine, next.report, signal);
        answer = this.#answerOf(reply, file);
        if (reply.kind === 'gap') file.gap(reply.knownTo);
        else if (isOfOlderCopy(reply, file)) file.renew();
        else if (reply.kind === 'known') noteKnown(file, reply.knownTo, next, clock.now());
      } catch (error) {
        signal.throwIfAborted();
        answer = failureOf(error);
      }
      const waitMs = this.#after(answer, next, file);
      if (waitMs > 0) return waitMs;
    }
  }

  /** Returns how long to wait after `error`, with which `drain` ended. */
  failed(error: unknown): number {
    const { pace, waitMs } = stepAfter(this.#pace, failureOf(error), 0, this.#reporter.random());
    this.#pace = pace;
    this.#say(failureOf(error), waitMs);
    return waitMs;
  }

  /** Adds the outcomes of the actions that have ended since. A new queue begins with what happens from now on. */
  #take(file: OutboundFile): void {
    const taken = file.taken();
    const settled = this.#reporter.state.settled(taken ?? new Set());
    if (taken && settled.length === 0) return;
    const before = taken ?? this.#endedBefore;
    const ended = before ? settled.filter(({ action }) => !before.has(action.id)) : [];
    file.add(
      ended.map(reportedOutcome),
      settled.map(({ action }) => action.id),
    );
  }

  #next(file: OutboundFile): Next | undefined {
    const { clock, version: modreg, platform, modules } = this.#reporter;
    const now = clock.now();
    const offset = offsetOf(clock);
    const { queue, knownTo: after, stateDigest, stateSentAt } = file.position();
    const head = { queue, instance: this.#instance, after };
    const current = modules();
    const group = this.#reporter.group?.();
    const everyMs = this.#reporter.everyMs?.();
    const pinned = this.#reporter.isPinned?.() || undefined;
    const synchronized = this.#reporter.isSynchronized?.();
    const own = { modreg, platform, group, every_ms: everyMs, pinned, synchronized };
    const digest = digestOf({ modreg, platform, group, everyMs, pinned, synchronized, current });
    const isOld = Math.abs(now - stateSentAt) >= this.#dailyMs;
    if (digest !== stateDigest || isOld || this.#isSet(offset)) {
      const number = file.nextStateNumber();
      const at = formatTime(now);
      const state = { number, at, ...own, modules: current };
      return { report: { ...head, to: after, state, outcomes: [] }, digest, offset };
    }
    const outcomes = file.unsent(this.#pace.size, MOST_BYTES);
    const last = outcomes.at(-1);
    return last && { report: { ...head, to: last.number, outcomes }, digest: undefined, offset };
  }

  /** Whether the clock was set since the last state was made, or the machine was suspended since. */
  #isSet(offset: number): boolean {
    return Math.abs(offset - (this.#sentAtOffset ?? offset)) >= CLOCK_STEP_MS;
  }

  #after(answer: Answer, { report, digest, offset }: Next, file: OutboundFile): number {
    const { clock, random, onNotice } = this.#reporter;
    const [first] = report.outcomes;
    const step = stepAfter(this.#pace, answer, report.outcomes.length || 1, random());
    this.#pace = step.pace;
    if (digest !== undefined && step.batch !== 'kept') this.#sentAtOffset = offset;
    if (step.batch === 'sent') {
      if (this.#said !== undefined) onNotice('info', 'reports are sent again');
      this.#said = undefined;
      if (digest !== undefined) this.#dailyMs = LEAST_DAILY_MS + random() * DAILY_SPREAD_MS;
      return digest === undefined ? THROTTLE_MS : 0;
    }
    if (step.batch === 'set-aside') {
      if (digest !== undefined) file.stateSent(digest, clock.now());
      else if (first) file.setAside(first.number);
      const what = first ? `the outcome of ${first.action}` : 'the state of the machine';
      onNotice('warn', `${what} is not reported: ${answer.kind === 'accepted' ? '' : answer.why}`);
    } else if (step.waitMs > 0) {
      if (this.#said !== answer.kind) file.waits(answer.why, clock.now());
      this.#say(answer, step.waitMs);
    }
    return step.waitMs;
  }

  /** What is missing is sent at once. A registry that then still lacks it gets it after a pause, and not again and again (T151). */
  #answerOf(reply: ReportReply, file: OutboundFile): Answer {
    const isAgain = this.#sendsAgain;
    const isOlder = isOfOlderCopy(reply, file);
    this.#sendsAgain = reply.kind === 'gap' || isOlder || (isAgain && reply.kind !== 'known');
    if (reply.kind !== 'gap' && !isOlder) return answerOf(reply);
    if (!isAgain) return { kind: 'accepted', rejected: 0, why: '' };
    const found =
      reply.kind === 'gap'
        ? `it lacks what follows outcome ${reply.knownTo}`
        : 'it has later reports of a queue that has just begun';
    const why = `the registry answered twice that ${found}`;
    return { kind: 'unavailable', why, retryMs: undefined };
  }

  /** Says once why reports wait, until one is taken again. */
  #say({ kind, why }: Answer, waitMs: number): void {
    if (this.#said === kind) return;
    this.#said = kind;
    const next = `the next attempt is in ${describeDuration(waitMs)}`;
    this.#reporter.onNotice('warn', `the machine does not report: ${why}; reports wait, ${next}`);
  }
}

/** What this file has not sent itself is sent again: the registry may know other outcomes with these numbers (T562). */
function noteKnown(
  file: OutboundFile,
  knownTo: number,
  { report, digest }: Next,
  now: number,
): void {
  file.known(Math.min(knownTo, report.to));
  if (digest !== undefined) file.stateSent(digest, now);
}

/** Whether the registry has numbers that this file has not assigned yet, of outcomes (T158) or of states (T360). */
function isOfOlderCopy(reply: ReportReply, file: OutboundFile): boolean {
  if (reply.kind !== 'known') return false;
  return reply.isOlderState || reply.knownTo > file.position().highest;
}

function answerOf(reply: Exclude<ReportReply, { readonly kind: 'gap' }>): Answer {
  switch (reply.kind) {
    case 'known':
      return { kind: 'accepted', rejected: 0, why: '' };
    case 'duplicate-machine':
      return { kind: 'closed', why: `another machine reports under its id: ${reply.detail}` };
    case 'refused':
    case 'too-large':
      return { kind: reply.kind, why: reply.detail };
  }
}

function failureOf(error: unknown): Answer {
  if (!(error instanceof RegistryError)) {
    const why = excerpt(error instanceof Error ? error.message : String(error));
    return { kind: 'unavailable', why, retryMs: undefined };
  }
  const why = error.message;
  if (!TEMPORARY.has(error.kind)) return { kind: 'closed', why };
  return { kind: 'unavailable', why, retryMs: error.retryAfterMs };
}

/** It changes if the clock is set, and by a suspend, which `monotonic` does not count. */
function offsetOf(clock: Clock): number {
  return clock.now() - clock.monotonic();
}

function digestOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
