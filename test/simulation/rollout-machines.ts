import { chanceOf } from './chance.ts';

/*
 * The machines of a simulated fleet, and when each is online and may install.
 */

const HOUR = 60;
const DAY = 24 * HOUR;
const WINDOW = 2 * HOUR;
/** In minutes. */
export const LONGEST: number = 60 * DAY;

/** A machine of the fleet. Times are minutes. */
export interface FleetMachine {
  readonly id: string;
  /** The minutes of each period in which it is online: from 0 to `online`, after `phase`. */
  readonly period: number;
  readonly online: number;
  readonly phase: number;
  /** The minute of the day at which its window opens; undefined if it has none. */
  readonly opens: number | undefined;
  /** Undefined if it is in none. */
  readonly group?: string | undefined;
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

/** The fleet with `size` of its machines in each of these groups. Which ones, the seed says. */
export function inGroups(
  fleet: readonly FleetMachine[],
  { groups, size }: { readonly groups: readonly string[]; readonly size: number },
  seed: number,
): readonly FleetMachine[] {
  const chance = chanceOf(seed, 'groups');
  const grouped = [...fleet];
  for (const group of groups) {
    for (let left = Math.min(size, fleet.length / (2 * groups.length)); left > 0;) {
      const place = chance.below(fleet.length);
      const machine = grouped[place];
      if (!machine || machine.group !== undefined) continue;
      grouped[place] = { ...machine, group };
      left--;
    }
  }
  return grouped;
}

/** The first minute from `at` in which the machine is online. */
export function onlineFrom({ period, online, phase }: FleetMachine, at: number): number {
  const place = (at + phase) % period;
  return place < online ? at : at + period - place;
}

/** The last minute up to `at` in which the machine was online. */
export function lastOnline({ period, online, phase }: FleetMachine, at: number): number {
  const place = (at + phase) % period;
  return place < online ? at : at - place + online - 1;
}

/** The first minute from `at` in which the machine is online and its window is open. */
export function installsFrom(machine: FleetMachine, at: number): number {
  const { opens } = machine;
  for (let minute = at; minute < at + LONGEST;) {
    const online = onlineFrom(machine, minute);
    const place = opens === undefined ? 0 : (online - opens + DAY) % DAY;
    if (place < WINDOW) return online;
    minute = online + DAY - place;
  }
  return Infinity;
}
