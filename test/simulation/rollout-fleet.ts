import { cohort } from '../../src/core/rollout/cohort.ts';
import { nextStep, type NextStep } from '../../src/core/rollout/next-step.ts';
import { applyEvent, type Rollout, type RolloutEvent } from '../../src/core/rollout/rollout.ts';
import { ROLLOUT_POLICY } from '../../src/core/rollout/rollout-policy.ts';
import { shareFor, stepsFor } from '../../src/core/rollout/share.ts';
import { chanceOf, type Chance } from './chance.ts';

/*
 * Rollouts over a fleet, minute by minute. Three in ten machines roam: they are online for a part of each day or week. Half
 * of the machines install only in a window of two hours a day. A machine that is online, and in its window, installs in the
 * minute in which its cohort is included, and reports the outcome a few minutes later, or when it is online again.
 */

const HOUR = 60;
const DAY = 24 * HOUR;
const MS = 60_000;
const WINDOW = 2 * HOUR;
const SILENCE = ROLLOUT_POLICY.silenceMs / MS;
const LONGEST = 60 * DAY;
/** How many of the machines that are included last are compared with the others, and how often. */
const CONTROL = 400;
const CONTROL_EVERY = 10;

interface FleetMachine {
  readonly id: string;
  /** The minutes of each period in which it is online: from 0 to `online`, after `phase`. */
  readonly period: number;
  readonly online: number;
  readonly phase: number;
  /** The minute of the day at which its window opens; undefined if it has none. */
  readonly opens: number | undefined;
}

/** `count` machines: the same for the same seed. */
export function fleetOf(count: number, seed: number): readonly FleetMachine[] {
  const chance = chanceOf(seed, 'fleet');
  return Array.from({ length: count }, (_, number): FleetMachine => {
    const isRoaming = chance.is(0.3);
    const period = isRoaming ? DAY * (1 + chance.below(7)) : DAY;
    const online = isRoaming ? Math.ceil(period * chance.between(0.05, 0.5)) : period;
    const opens = chance.is(0.5) ? chance.below(DAY) : undefined;
    return { id: `rover-${number}`, period, online, phase: chance.below(period), opens };
  });
}

/** The first minute from `at` in which the machine is online. */
function onlineFrom({ period, online, phase }: FleetMachine, at: number): number {
  const place = (at + phase) % period;
  return place < online ? at : at + period - place;
}

/** The last minute up to `at` in which the machine was online. */
function lastOnline({ period, online, phase }: FleetMachine, at: number): number {
  const place = (at + phase) % period;
  return place < online ? at : at - place + online - 1;
}

/** The first minute from `at` in which the machine is online and its window is open. */
function installsFrom(machine: FleetMachine, at: number): number {
  const { opens } = machine;
  for (let minute = at; minute < at + LONGEST;) {
    const online = onlineFrom(machine, minute);
    const place = opens === undefined ? 0 : (online - opens + DAY) % DAY;
    if (place < WINDOW) return online;
    minute = online + DAY - place;
  }
  return Infinity;
}

/** A release, as the machines find it. */
export interface SimulatedRelease {
  readonly salt: string;
  /** The part of the machines on which it fails. */
  readonly failureRate: number;
  /** The part of these that are never heard again. */
  readonly deadly?: number;
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
  /** The machines by their cohort. */
  readonly #order: readonly number[];
  readonly #states: State[];
  readonly #counts = { waiting: 0, installing: 0, silent: 0, healthy: 0, failed: 0 };
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
  }

  /** One minute: what the machines do, and then the controller. */
  pass(minute: number): SimulatedRollout | undefined {
    for (const change of this.#changes.get(minute) ?? []) this.#apply(change, minute);
    this.#changes.delete(minute);
    const rollout = this.#rollout;
    if (!rollout) {
      const [percent = 0] = this.#stepsLeft();
      const share = shareFor(percent, this.#cohorts);
      this.#write({ kind: 'started', salt: this.#release.salt, percent, share }, minute);
      return undefined;
    }
    if (minute % CONTROL_EVERY === 0) this.#control = this.#controlAt(minute, rollout);
    const tally = { ...this.#counts, control: this.#control };
    const policy = { ...ROLLOUT_POLICY, steps: this.#stepsLeft() };
    return this.#follow(nextStep(rollout, tally, policy, minute * MS), minute);
  }

  #stepsLeft(): readonly number[] {
    const place = { known: this.#fleet.length, included: this.#included };
    return stepsFor(place, ROLLOUT_POLICY.steps);
  }

  #follow(step: NextStep, minute: number): SimulatedRollout | undefined {
    switch (step.kind) {
      case 'wait':
        return undefined;
      case 'raise': {
        const share = shareFor(step.percent, this.#cohorts);
        this.#write({ kind: 'raised', percent: step.percent, share }, minute);
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
    this.#include(applied.value.share, minute);
  }

  /** The machines that a share includes for the first time see the list in the next minute in which they are online. */
  #include(share: number, minute: number): void {
    for (; this.#included < this.#order.length; this.#included++) {
      const place = this.#order[this.#included] ?? 0;
      const machine = this.#fleet[place];
      if (!machine || (this.#cohorts[place] ?? 1) >= share) return;
      this.#counts.waiting++;
      this.#schedule(installsFrom(machine, minute + 1), [place, 'installing']);
    }
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
    this.#counts[from]--;
    this.#counts[to]++;
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
      const machine = this.#fleet[place];
      const heardAt = machine ? lastOnline(machine, minute) : -Infinity;
      if (heardAt * MS < soakingSince) continue;
      control.heard++;
      if (minute - heardAt >= SILENCE) control.silent++;
    }
    return control;
  }
}

type Happening = RolloutEvent extends infer Event
  ? Event extends RolloutEvent
    ? Omit<Event, 'sequence' | 'after' | 'at'>
    : never
  : never;
