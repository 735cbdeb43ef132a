import { cohort } from '../../src/core/rollout/cohort.ts';
import { nextStep, type NextStep } from '../../src/core/rollout/next-step.ts';
import { applyEvent, type Rollout, type RolloutEvent } from '../../src/core/rollout/rollout.ts';
import { ROLLOUT_POLICY } from '../../src/core/rollout/rollout-policy.ts';
import { shareFor, stepsFor } from '../../src/core/rollout/share.ts';
import { chanceOf, type Chance } from './chance.ts';
import {
  installsFrom,
  lastOnline,
  LONGEST,
  onlineFrom,
  type FleetMachine,
} from './rollout-machines.ts';

/*
 * Rollouts over a fleet, minute by minute. Three in ten machines roam: they are online for a part of each day or week. Half
 * of the machines install only in a window of two hours a day. A machine that is online, and in its window, installs in the
 * minute in which its cohort or its group is included, and reports the outcome a few minutes later, or when it is online again.
 */

const HOUR = 60;
const MS = 60_000;
const SILENCE = ROLLOUT_POLICY.silenceMs / MS;
/** How many of the machines that are included last are compared with the others, and how often. */
const CONTROL = 400;
const CONTROL_EVERY = 10;

/** A release, as the machines find it. */
export interface SimulatedRelease {
  readonly salt: string;
  /** The part of the machines on which it fails. */
  readonly failureRate: number;
  /** The part of these that are never heard again. */
  readonly deadly?: number;
  /** The groups that get it first. */
  readonly first?: readonly string[];
}

/** How a rollout ended. */
export interface SimulatedRollout {
  readonly ending: 'completed' | 'halted' | 'unfinished';
  /** How many machines installed the release, until 100 % if it was not halted. */
  readonly installed: number;
  /** The percentage of the last step. */
  readonly percent: number;
  readonly hours: number;
  readonly events: readonly RolloutEvent[];
}

type Counts = Record<State, number>;
type State = 'waiting' | 'installing' | 'silent' | 'healthy' | 'failed';
type Change = readonly [machine: number, to: State];

/** Plays the rollout of a release over the fleet, with the default policy. */
export function rollOut(
  fleet: readonly FleetMachine[],
  release: SimulatedRelease,
  seed: number,
): SimulatedRollout {
  const play = new Play(fleet, release, chanceOf(seed, release.salt));
  for (let minute = 0; minute < LONGEST; minute++) {
    const ending = play.pass(minute);
    if (ending) return ending;
  }
  return play.ended('unfinished', LONGEST);
}

class Play {
  readonly #fleet: readonly FleetMachine[];
  readonly #release: SimulatedRelease;
  readonly #chance: Chance;
  readonly #cohorts: readonly number[];
  /** Those of the machines that no group includes. */
  readonly #others: readonly number[];
  /** The percentages that are left. */
  #steps: readonly number[] = [];
  /** The machines by their cohort. */
  readonly #order: readonly number[];
  readonly #states: State[];
  readonly #counts = noneOf();
  readonly #byGroup = new Map<string, Counts>();
  readonly #isIncluded: boolean[];
  readonly #changes = new Map<number, Change[]>();
  readonly #events: RolloutEvent[] = [];
  #rollout: Rollout | undefined;
  #included = 0;
  #installed = 0;
  #control = { heard: 0, silent: 0 };

  constructor(fleet: readonly FleetMachine[], release: SimulatedRelease, chance: Chance) {
    this.#fleet = fleet;
    this.#release = release;
    this.#chance = chance;
    this.#cohorts = fleet.map(({ id }) => cohort(id, release.salt));
    const places = Float64Array.from(this.#cohorts);
    this.#order = Array.from(fleet.keys()).toSorted((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
    this.#states = fleet.map(() => 'waiting');
    this.#isIncluded = fleet.map(() => false);
    const { first = [] } = release;
    this.#others = this.#cohorts.filter((_, place) => {
      const group = fleet[place]?.group;
      return group === undefined || !first.includes(group);
    });
    for (const group of first) this.#byGroup.set(group, noneOf());
  }

  /** One minute: what the machines do, and then the controller. */
  pass(minute: number): SimulatedRollout | undefined {
    for (const change of this.#changes.get(minute) ?? []) this.#apply(change, minute);
    this.#changes.delete(minute);
    const rollout = this.#rollout;
    if (!rollout) {
      const { salt, first } = this.#release;
      const [least = 0] = this.#stepsLeft(0);
      const percent = first ? 0 : least;
      this.#write(
        { kind: 'started', salt, percent, share: this.#shareFor(percent), first },
        minute,
      );
      return undefined;
    }
    if (minute % CONTROL_EVERY === 0) this.#control = this.#controlAt(minute, rollout);
    const newest = this.#newest(rollout);
    const tally = { ...this.#counts, ...(newest && { newest }), control: this.#control };
    const policy = { ...ROLLOUT_POLICY, steps: this.#steps };
    return this.#follow(nextStep(rollout, tally, policy, minute * MS), minute);
  }

  #stepsLeft(share: number): readonly number[] {
    const included = this.#others.filter((one) => one < share).length;
    return stepsFor({ known: this.#others.length, included }, ROLLOUT_POLICY.steps);
  }

  #follow(step: NextStep, minute: number): SimulatedRollout | undefined {
    switch (step.kind) {
      case 'wait':
        return undefined;
      case 'raise': {
        const { percent, groups } = step;
        this.#judgeRaise(minute);
        this.#write({ kind: 'raised', percent, share: this.#shareFor(percent), groups }, minute);
        return undefined;
      }
      case 'halt': {
        const { failures, because } = step;
        this.#write({ kind: 'halted', because: because.reason, failures }, minute);
        return this.ended('halted', minute);
      }
      case 'complete':
        this.#write({ kind: 'completed' }, minute);
        return this.ended('completed', minute);
    }
  }

  ended(ending: SimulatedRollout['ending'], minute: number): SimulatedRollout {
    const { percent = 0 } = this.#rollout ?? {};
    const events = this.#events;
    return { ending, installed: this.#installed, percent, hours: minute / HOUR, events };
  }

  #write(happening: Happening, minute: number): void {
    const after = this.#rollout?.sequence ?? 0;
    const event = { ...happening, after, sequence: after + 1, at: minute * MS };
    const applied = applyEvent(this.#rollout, event);
    if (!applied.ok) throw new Error(`${event.kind}: ${applied.error}`);
    this.#events.push(event);
    this.#rollout = applied.value;
    this.#steps = this.#stepsLeft(applied.value.share);
    this.#include(applied.value, minute);
  }

  /** A percentage is one of the machines that are in none of the groups. (D107) */
  #shareFor(percent: number): number {
    return percent === 0 ? 0 : shareFor(percent, this.#others);
  }

  /** The counts of the group that came last, while there is no percentage. */
  #newest({ percent, groups }: Rollout): Counts | undefined {
    const last = groups.at(-1);
    return percent === 0 && last !== undefined ? this.#byGroup.get(last) : undefined;
  }

  /** Each group has it for its soak, and is healthy itself, before anything comes after it. (D107) */
  #judgeRaise(minute: number): void {
    const rollout = this.#rollout;
    const newest = rollout && this.#newest(rollout);
    if (!newest) return;
    const { soakMs, healthyPart, fewestHealthy } = ROLLOUT_POLICY;
    const all = Object.values(newest).reduce((sum, count) => sum + count, 0);
    const least = Math.min(all, Math.max(Math.ceil(all * healthyPart), fewestHealthy));
    const soaked = minute * MS - (rollout.steps.at(-1)?.at ?? 0);
    if (soaked >= soakMs && newest.healthy >= Math.max(1, least)) return;
    const group = rollout.groups.at(-1);
    throw new Error(
      `D107: group ${group} has ${newest.healthy} healthy of ${all} after ${soaked / MS} min, and the next stage begins`,
    );
  }

  /** The machines that a step includes for the first time see the list in the next minute in which they are online. */
  #include({ share, groups }: Rollout, minute: number): void {
    const { first = [] } = this.#release;
    const isLast = groups.length === first.length;
    if (share > 0 && !isLast) throw new Error(`D107: a share of ${share} before the last group`);
    for (const [place, { group }] of first.length > 0 ? this.#fleet.entries() : []) {
      if (group !== undefined && groups.includes(group)) this.#includeOne(place, minute);
    }
    for (; this.#included < this.#order.length; this.#included++) {
      const place = this.#order[this.#included] ?? 0;
      if ((this.#cohorts[place] ?? 1) >= share) return;
      this.#includeOne(place, minute);
    }
  }

  #includeOne(place: number, minute: number): void {
    const machine = this.#fleet[place];
    if (!machine || this.#isIncluded[place]) return;
    this.#isIncluded[place] = true;
    for (const counts of this.#countsOf(place)) counts.waiting++;
    this.#schedule(installsFrom(machine, minute + 1), [place, 'installing']);
  }

  #countsOf(place: number): Counts[] {
    const { group } = this.#fleet[place] ?? {};
    const own = group === undefined ? undefined : this.#byGroup.get(group);
    return own ? [this.#counts, own] : [this.#counts];
  }

  #schedule(minute: number, change: Change): void {
    const changes = this.#changes.get(minute);
    if (changes) changes.push(change);
    else this.#changes.set(minute, [change]);
  }

  #apply([place, to]: Change, minute: number): void {
    const from = this.#states[place] ?? 'waiting';
    // An outcome is final, and silence ends with it.
    if (from === 'healthy' || from === 'failed') return;
    for (const counts of this.#countsOf(place)) {
      counts[from]--;
      counts[to]++;
    }
    this.#states[place] = to;
    if (to === 'installing') this.#install(place, minute);
  }

  #install(place: number, minute: number): void {
    this.#installed++;
    const machine = this.#fleet[place];
    const { failureRate, deadly = 0 } = this.#release;
    const isFailing = this.#chance.is(failureRate);
    const isDead = isFailing && this.#chance.is(deadly);
    if (!machine || isDead) return this.#schedule(minute + SILENCE, [place, 'silent']);
    const done = minute + 1 + this.#chance.below(10);
    const heard = onlineFrom(machine, done);
    this.#schedule(heard, [place, isFailing ? 'failed' : 'healthy']);
    const silent = Math.max(minute, lastOnline(machine, done)) + SILENCE;
    if (silent < heard) this.#schedule(silent, [place, 'silent']);
  }

  /** The machines that are included last, while they are not. */
  #controlAt(minute: number, { share, soakingSince }: Rollout): { heard: number; silent: number } {
    const control = { heard: 0, silent: 0 };
    if (share >= 0.9) return control;
    for (const place of this.#order.slice(-CONTROL)) {
      if (this.#isIncluded[place]) continue;
      const machine = this.#fleet[place];
      const heardAt = machine ? lastOnline(machine, minute) : -Infinity;
      if (heardAt * MS < soakingSince) continue;
      control.heard++;
      if (minute - heardAt >= SILENCE) control.silent++;
    }
    return control;
  }
}

function noneOf(): Counts {
  return { waiting: 0, installing: 0, silent: 0, healthy: 0, failed: 0 };
}

type Happening = RolloutEvent extends infer Event
  ? Event extends RolloutEvent
    ? Omit<Event, 'sequence' | 'after' | 'at'>
    : never
  : never;
