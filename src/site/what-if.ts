import { decide, indexReleases, type Decision, type ReleaseRecord } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import type { RecordedAnswers } from '../core/releases/machine-facts.ts';
import type { Clock } from '../registry/clock.ts';
import type { ModuleStates } from '../registry/fleet-documents.ts';
import { factsProblem } from '../registry/reported-facts.ts';
import { eachInSlices, type Slices } from '../server/fleet/slices.ts';
import { decodeFacts, timeZoneIn, windowRulesIn } from '../store/facts.ts';
import { effectFrom, type Effect } from './effect.ts';
import { brokenOn, type AskedRelease, type Broken, type OtherModules } from './other-modules.ts';
import { answersIn, factsOf } from './reported-answers.ts';
import { reportedWindows, type ReportedWindows } from './reported-windows.ts';
import { whatIfBudget, type Budget } from './what-if-budget.ts';

type State = ModuleStates['state'];

export interface MachinesWithEffect {
  readonly state: Pick<State, 'deployed' | 'constraint' | 'platform'>;
  /** The one of their first maintenance window; undefined if they have none. */
  readonly timeZone: string | undefined;
  readonly effect: Effect;
  readonly machines: readonly string[];
}

/** What else decides. */
export interface WhatIf extends AskedRelease {
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** Whether a release of the list is in rollout, for which each machine has a place of its own. */
  readonly isStaged: boolean;
  /** What requires the release, and what it requires, on each machine; absent if that is not known. */
  readonly others?: OtherModules | undefined;
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
 * same, also of what releases require, or for each if its place in a rollout matters. Restarts that already happened are not reported, so a cooldown may delay a machine further.
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

/**
 * Adds the effects on machines that report the same: one, or one for each step of a rollout that they are in, and for each difference in
 * what they run of other modules, where a release requires that.
 */
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
  for (const { ids, ...running } of yield* machinesAlike({ state, machines }, work)) {
    for (const some of isStaged ? ids.map((id) => [id]) : [ids]) {
      const effect = budgeted(budget, machines, () => {
        const [machineId] = isStaged ? some : [];
        const group = machineId === undefined ? undefined : groupOf.get(machineId);
        return effectOn({ ...running, machineId, group });
      });
      const key = JSON.stringify(effect);
      const known = alike.get(key) ?? [];
      if (known.length === 0) {
        alike.set(key, known);
        const shown = { deployed, constraint, platform };
        all.push({ state: shown, timeZone: zone(effect), effect, machines: known });
      }
      for (const id of some) known.push(id);
      yield* budget.pause();
    }
  }
}

/** What machines run of other modules, as far as a release requires it. */
interface Running {
  readonly required: RecordedAnswers['deployed'];
  readonly breaks: readonly Broken[];
}

type Alike = Running & { readonly ids: string[] };

/** The machines that run the same of what releases require (D122). */
function* machinesAlike(
  { state, machines }: Pick<ModuleStates, 'state' | 'machines'>,
  { others, version }: Work,
): Slices<Iterable<Alike>> {
  const alike = new Map<string, Alike>();
  if (!others || others.required.size + others.dependents.length === 0) {
    return [{ ids: [...machines], required: new Map(), breaks: [] }];
  }
  const change = { deployed: state.deployed, to: version };
  yield* eachInSlices(machines, (id) => {
    const required = [...others.required].flatMap(([of, reported]) => {
      const found = reported.get(id);
      return found ? [[of, found] as const] : [];
    });
    const breaks = brokenOn(id, change, others.dependents);
    const key = JSON.stringify([required, breaks]);
    const known = alike.get(key);
    if (known) known.ids.push(id);
    else alike.set(key, { ids: [id], required: new Map(required), breaks });
  });
  return alike.values();
}

/** A machine, or any of those that differ in nothing that matters. */
interface Place extends Running {
  readonly machineId: string | undefined;
  readonly group: string | undefined;
}

type EffectOn = (place: Place) => Effect;

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
  const asked = answersIn(input);
  return ({ machineId, group, required, breaks }) => {
    const machine = factsOf(asked, required);
    const decisionAt = (at: number): Decision =>
      decide({
        ...input,
        timing,
        eligibility: { ...input.eligibility, machine, machineId, group, now: at },
      });
    const isTagKnown = (tag: string): boolean => asked.tags.has(tag);
    return effectFrom(decisionAt, { version, stops, now, breaks, isTagKnown });
  };
}

function unreadableFacts(facts: object | null): string | undefined {
  const problem = facts ? factsProblem(facts) : undefined;
  return problem === undefined ? undefined : `facts: ${problem}`;
}
