import {
  decide,
  indexReleases,
  type Decision,
  type Refused,
  type ReleaseIndex,
  type ReleaseRecord,
} from '../core/index.ts';
import { replacementOf } from '../core/decision/decision.ts';
import { describeDecision } from '../core/explanation/decision-words.ts';
import { describeRefused, groupsFirst } from '../core/explanation/words.ts';
import { excerpt } from '../core/text/quote.ts';
import { isTime } from '../core/text/rfc3339.ts';
import { recordedFacts } from '../core/releases/machine-facts.ts';
import { satisfiesRange } from '../registry/npm-range.ts';
import type { Clock } from '../registry/clock.ts';
import type { ModuleStates } from '../registry/fleet-documents.ts';
import { factsProblem } from '../registry/reported-facts.ts';
import type { Slices } from '../server/fleet/slices.ts';
import { decodeFacts, timeZoneIn, windowRulesIn } from '../store/facts.ts';
import { reportedWindows, type ReportedWindows } from './reported-windows.ts';
import { whatIfBudget, type Budget } from './what-if-budget.ts';

/** What a release would do to machines that report the same. */
type Effect =
  | {
      readonly kind: 'now' | 'later';
      /** `upgrade`, `install`, … */
      readonly direction: string;
      /** When it is due, in milliseconds since the epoch; undefined for now, or if it is not known. */
      readonly at: number | undefined;
      readonly stops: readonly string[];
    }
  /** `later-step`: its rollout does not include the machine yet. `not-computed`: what it reports cannot be read, or takes too long (T268). */
  | { readonly kind: 'never' | 'later-step' | 'not-computed'; readonly because: string };

type State = ModuleStates['state'];

export interface MachinesWithEffect {
  readonly state: Pick<State, 'deployed' | 'constraint' | 'platform'>;
  /** The one of their first maintenance window; undefined if they have none. */
  readonly timeZone: string | undefined;
  readonly effect: Effect;
  readonly machines: readonly string[];
}

/** A module's releases, with the one that is asked about. */
export interface WhatIf {
  readonly index: ReleaseIndex;
  /** As published, build metadata included. */
  readonly version: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** Whether a release of the list is in rollout, for which each machine has a place of its own. */
  readonly isStaged: boolean;
}

/** The question about `added`, which joins the `published` releases of its module unless it is one of them. */
export function askedAmong(
  published: Iterable<ReleaseRecord>,
  added: ReleaseRecord,
  now: number,
): WhatIf & { readonly isPublished: boolean } {
  const { version } = added;
  const records = [...published];
  const isPublished = records.some((record) => record.version === version);
  if (!isPublished) records.push(added);
  const isStaged = records.some(({ rollout }) => rollout !== undefined);
  return { index: indexReleases(records), version, now, isStaged, isPublished };
}

/**
 * The effect of a release, by the decision that each machine would make from what it reported: decided once for all that report the
 * same, or for each if its place in a rollout matters. Restarts that already happened are not reported, so a cooldown may delay a machine further.
 * An undefined state is a pause. One that cannot be read, or takes too long, is `not-computed` for its own machines (T266, T268).
 */
export function* effectsOf(
  states: Iterable<ModuleStates | undefined>,
  whatIf: WhatIf,
  clock: Pick<Clock, 'monotonic'>,
): Slices<MachinesWithEffect[]> {
  const budget = whatIfBudget(clock);
  const work = { ...whatIf, budget, windows: reportedWindows(budget, whatIf.now) };
  const all: MachinesWithEffect[] = [];
  for (const one of states) {
    if (one) yield* addEffects(all, one, work);
    else yield;
  }
  return all;
}

interface Work extends WhatIf {
  readonly budget: Budget;
  readonly windows: ReportedWindows;
}

/** Adds the effects on machines that report the same: one, or one for each step of a rollout that they are in. */
function* addEffects(
  all: MachinesWithEffect[],
  { state, machines, groups = [] }: ModuleStates,
  work: Work,
): Slices<void> {
  const { budget, isStaged } = work;
  const { deployed, constraint, platform } = state;
  const effectOn = yield* effectsFor({ state, machines }, work);
  const zone = (effect: Effect): string | undefined =>
    effect.kind === 'later' ? timeZoneIn(state.facts) : undefined;
  const groupOf = new Map(
    groups.flatMap(({ group, machines: ids }) => ids.map((id) => [id, group])),
  );
  const alike = new Map<string, string[]>();
  for (const ids of isStaged ? machines.map((id) => [id]) : [machines]) {
    const effect = budgeted(budget, machines, () => {
      const [id] = isStaged ? ids : [];
      return effectOn(id, id === undefined ? undefined : groupOf.get(id));
    });
    const key = JSON.stringify(effect);
    const known = alike.get(key) ?? [];
    if (known.length === 0) {
      alike.set(key, known);
      const shown = { deployed, constraint, platform };
      all.push({ state: shown, timeZone: zone(effect), effect, machines: known });
    }
    for (const id of ids) known.push(id);
    yield* budget.pause();
  }
}

type EffectOn = (machineId: string | undefined, group: string | undefined) => Effect;

/** The effect that is the same on each machine. */
function always(kind: 'never' | 'not-computed', because: string): EffectOn {
  return () => ({ kind, because });
}

/** The effect if there is time for it. */
function budgeted(budget: Budget, machines: readonly string[], effect: () => Effect): Effect {
  const because = budget.exceeded(machines);
  if (because !== undefined) return { kind: 'not-computed', because };
  return budget.spend(machines, () => {
    try {
      return effect();
    } catch (error) {
      // A machine can report what no decision expects. Those of the others are made all the same (T269).
      if (!(error instanceof Error)) throw error;
      const found = excerpt(error.message);
      return { kind: 'not-computed', because: `its report cannot be used: ${found}` };
    }
  });
}

/** Returns the effect on a machine that reports `state`, by its id. */
function* effectsFor({ state, machines }: ModuleStates, work: Work): Slices<EffectOn> {
  const { facts, stops, deployed } = state;
  const { index, version, now, windows } = work;
  const unreadable = state.unreadable ?? unreadableFacts(facts);
  if (unreadable !== undefined) {
    return always('not-computed', `its report cannot be read: ${excerpt(unreadable)}`);
  }
  if (facts === null) return always('never', 'the machine does not report its policy');
  const areUsable = yield* windows.areUsable(windowRulesIn(facts), machines);
  let decoded: ReturnType<typeof decodeFacts> | undefined;
  try {
    decoded = areUsable ? decodeFacts(facts, { index, windowOf: windows.windowOf }) : undefined;
  } catch (error) {
    // Those that the agent computes are not reported.
    if (!(error instanceof Error)) throw error;
  }
  if (!decoded) return always('never', 'its maintenance windows cannot be read');
  if ('damaged' in decoded) return always('never', `its report has no usable ${decoded.damaged}`);
  if (deployed === version) return always('never', 'has it already');
  const { input } = decoded;
  // As machines report it, so that no report can make the decision take long.
  const timing = { ...input.timing, isServerBusy: false, restarts: [] };
  // A machine reports only what its releases required before (T389).
  const { machine = recordedFacts(NOTHING_ASKED, satisfiesRange) } = input.eligibility;
  return (machineId, group) => {
    const decisionAt = (at: number): Decision =>
      decide({
        ...input,
        timing,
        eligibility: { ...input.eligibility, machine, machineId, group, now: at },
      });
    return effectFrom(decisionAt, { version, stops, now });
  };
}

const NOTHING_ASKED = { deployed: new Map(), tags: new Map() };

function unreadableFacts(facts: object | null): string | undefined {
  const problem = facts ? factsProblem(facts) : undefined;
  return problem === undefined ? undefined : `facts: ${problem}`;
}

interface Asked extends Pick<WhatIf, 'version' | 'now'> {
  readonly stops: readonly string[];
}

/** A release is refused for its age, a quarantine, or both. */
const MOST_REFUSALS = 8;

/** The effect now, or once the version is no longer refused. */
function effectFrom(decisionAt: (at: number) => Decision, asked: Asked): Effect {
  let at = asked.now;
  for (let count = 0; count < MOST_REFUSALS; count++) {
    const decision = decisionAt(at);
    const due = dueIn(decision, at, asked);
    if (due) return due;
    const refused = refusalIn(decision, asked.version);
    const until = refused && 'until' in refused ? refused.until : undefined;
    // Each end is later than the one before.
    if (until !== undefined && until > at && isTime(until)) at = until;
    else return without(decision, refused);
  }
  const because = `it is refused ${MOST_REFUSALS} times, each time for longer`;
  return { kind: 'not-computed', because };
}

/** When `decision`, which is made at `at`, replaces what is deployed by the version; undefined if it does not. */
function dueIn(decision: Decision, at: number, { version, stops, now }: Asked): Effect | undefined {
  const replacement = replacementOf(decision);
  if (!replacement || 'url' in replacement.to) return undefined;
  const { direction, to } = replacement;
  if (to.version.text !== version || direction === 'restart') return undefined;
  const stopping = direction === 'install' ? [] : stops;
  if (decision.kind === 'hold') {
    return { kind: 'later', direction, at: decision.until, stops: stopping };
  }
  if (at === now) return { kind: 'now', direction, at: undefined, stops: stopping };
  return { kind: 'later', direction, at, stops: stopping };
}

/** Why a decision does not select `version`; undefined if its list was not resolved. */
function refusalIn({ resolution }: Decision, version: string): Refused | undefined {
  if (!resolution) return undefined;
  return firstOf(
    resolution.refused(),
    (one) => 'release' in one && one.release.version.text === version,
  );
}

/** A decision that does not deploy the version: why it is refused, else what is decided instead. */
function without(decision: Decision, refused: Refused | undefined): Effect {
  if (!refused || !decision.resolution) {
    return { kind: 'never', because: describeDecision(decision) };
  }
  if (refused.reason === 'not-in-rollout') {
    // Without the cohort, which differs from machine to machine.
    const { percent, groups } = refused;
    const because =
      percent === 0 && groups.length > 0
        ? groupsFirst(groups)
        : `the rollout at ${percent} % does not include it yet`;
    return { kind: 'later-step', because };
  }
  return { kind: 'never', because: describeRefused(refused, decision.resolution.input.constraint) };
}

function firstOf(
  refused: Iterable<Refused>,
  matches: (one: Refused) => boolean,
): Refused | undefined {
  for (const one of refused) if (matches(one)) return one;
  return undefined;
}
