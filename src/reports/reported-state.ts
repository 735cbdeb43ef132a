import { describeAddress } from '../core/explanation/decision-words.ts';
import { excerpt } from '../core/text/quote.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { keyOf, moduleOf, type TargetName } from '../core/plan/target.ts';
import { loggedWords, type LoggedDecision } from '../core/plan/logged-decisions.ts';
import { shownWord } from '../core/plan/waiting-for-age.ts';
import { lasting, wordsOf } from '../core/text/time-words.ts';
import { MOST_FACTS, type FailingModule, type ReportedModule } from '../registry/machine-report.ts';
import { factsProblem } from '../registry/reported-facts.ts';
import type { RecordedDecision } from '../store/decision-history.ts';
import type { MachineState } from '../store/machine-state.ts';
import type { SettledAction } from '../store/outbox.ts';
import { failingModule } from './failing-module.ts';
import type { NewOutcome } from './outbound-file.ts';

const WEEK_MS = 7 * 86_400_000;

/** The facts of all modules as JSON, and why they fail, in characters: a registry takes reports of 1 MiB. */
const LONGEST_OF_ALL = 512 * 1024;

/** Of a text with escapes, which are up to nine times as long as what they escape: a registry refuses 1000 characters. */
const LONGEST_TEXT = 900;

/** The state of each module entry and subsystem, as the poller decided last. `stopsOf` names the components that stop for a restart. */
export function reportedModules(
  state: Pick<MachineState, 'decisions' | 'newestInHistory'> & {
    memory(): Pick<MachineMemory, 'held' | 'open' | 'quarantine'>;
  },
  stopsOf: (target: TargetName) => readonly string[],
): ReportedModule[] {
  const recorded = new Map(state.newestInHistory().map((one) => [keyOf(one), one]));
  const memory = state.memory();
  const held = new Map(memory.held.map((one) => [keyOf(one), one.elapsedMs]));
  const { factsOf, failingOf } = withinLimits(memory);
  return state.decisions().flatMap((decision) => {
    const { kind, name, moduleId, constraint, target } = decision;
    const { word, heldBy } = reportedWord(decision);
    const known = recorded.get(keyOf(decision));
    const same = known?.moduleId === moduleId ? known : undefined;
    const deployed = same?.deployed ?? 'unknown';
    // The agent and the server are always planned, and a machine need not manage them: they would only count as stuck.
    if (kind === 'subsystem' && deployed === 'unknown') return [];
    const stuck = word === 'stuck' ? reportedReason(decision) : undefined;
    return {
      kind,
      name: short(name),
      module_id: moduleId,
      constraint: constraint ?? null,
      deployed: short(deployed),
      target: target ?? null,
      decision: word,
      reason: stuck?.reason ?? null,
      because: stuck?.because,
      held_by: heldBy,
      // Not since when: machines that decide alike share what they report.
      held_over_a_week: (held.get(keyOf(decision)) ?? 0) > WEEK_MS ? true : undefined,
      stops: stopsOf(decision),
      facts: same ? factsOf(same) : null,
      failing: failingOf(decision),
    };
  });
}

/** The decision, and what holds it. What is only too young is a hold to its site, which knows no next change (D469). */
function reportedWord(logged: LoggedDecision): {
  readonly word: string;
  readonly heldBy: string | undefined;
} {
  const { decision: word, because, next } = logged;
  const isTooYoung = word === 'stuck' && shownWord(logged) !== word;
  const isUnpublished = next?.because === 'release-published';
  if (isTooYoung)
    return { word: 'hold', heldBy: isUnpublished ? 'not-yet-published' : 'too-young' };
  return { word, heldBy: word === 'hold' ? because?.code : undefined };
}

/** What the registry would not take of all modules together is left out (T265). */
function withinLimits(memory: Parameters<typeof failingModule>[1]): {
  readonly factsOf: (one: RecordedDecision) => object | null;
  readonly failingOf: (decision: LoggedDecision) => FailingModule | undefined;
} {
  let left = LONGEST_OF_ALL;
  return {
    factsOf(one) {
      const facts = sharedFacts(one);
      if (!facts || factsProblem(facts) !== undefined) return null;
      left -= JSON.stringify(facts).length;
      return left < 0 ? null : facts;
    },
    failingOf(decision) {
      const failing = failingModule(decision, memory);
      if (!failing) return undefined;
      const reason = failing.reason === null ? null : short(failing.reason);
      left -= reason?.length ?? 0;
      return { ...failing, version: short(failing.version), reason: left < 0 ? null : reason };
    },
  };
}

/** Without times: they differ between machines, and change with each plan (D65). */
function reportedReason(stuck: LoggedDecision): Pick<ReportedModule, 'reason' | 'because'> {
  const { facts } = wordsOf(loggedWords(stuck));
  const reason = short(lasting({ facts }));
  if (!stuck.because || facts.length > MOST_FACTS) return { reason };
  return { reason, because: { code: stuck.because.code, facts: facts.map(short) } };
}

/**
 * The facts of a decision that machines can share: without the id of the machine, the time, the list, past restarts, what modules say, unknown fields, and holds of operators. Null if they have an address, which
 * may contain credentials.
 */
function sharedFacts({ facts }: RecordedDecision): object | null {
  const {
    requirement,
    deployed,
    eligibility,
    timing,
    restartRequest: _one,
    upgradeRequest: _other,
    skippedFloors,
    ...rest
  } = Object(facts);
  if (Object(requirement).kind === 'pin-url') return null;
  if (!['version', 'none', 'unknown'].includes(Object(deployed).kind)) return null;
  const {
    answer: _answer,
    vetoes: _vetoes,
    unknownFields: _fields,
    operatorHolds: _holds,
    longestHoldEnd: _end,
    ...times
  } = Object(timing);
  const { machineId: _id, group: _group, ...terms } = Object(eligibility);
  return {
    ...rest,
    skippedFloors: sharedSkips(skippedFloors),
    requirement,
    deployed,
    list: { index: { $index: 0 } },
    eligibility: { ...terms, now: 0 },
    timing: { ...times, isServerBusy: false, restarts: [] },
  };
}

/** Which floors are skipped, and not by whom or why. */
function sharedSkips(skips: unknown): object[] | undefined {
  if (!Array.isArray(skips)) return undefined;
  return skips.map((skip) => ({ version: Object(skip).version, by: '', at: 0 }));
}

/** The outcome of an action that has ended. */
export function reportedOutcome({
  action,
  result,
  at,
  reason,
  isUndecided,
}: SettledAction): NewOutcome {
  const { id, target, direction, from, to } = action;
  return {
    at: formatTime(at),
    action: id,
    kind: target.kind,
    name: short(target.name),
    module_id: moduleOf(target),
    direction,
    from: from ?? null,
    to: short(describeAddress(to)),
    result,
    reason: reason === undefined ? null : short(isUndecided ? `undecided: ${reason}` : reason),
    ...(isUndecided && { undecided: true }),
  };
}

/** Untrusted text, escaped and then cut (T265). */
function short(text: string): string {
  return excerpt(excerpt(text), LONGEST_TEXT);
}
