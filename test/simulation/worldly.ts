import { constraintOf } from './beginnings.ts';
import type { Chance } from './chance.ts';
import { changeDesired, type Effect } from './configuring.ts';
import { AWAY_MS, outageOf, unplug } from './devices.ts';
import { knownOf, targetsOf } from './ledger.ts';
import { publishAfter } from './meanwhile.ts';
import { UNCLEAN } from './unclean-starts.ts';
import type { World } from './world.ts';

/*
 * What machines, their devices and the neighbours of an entry do to a module.
 */

export const WORLDLY: Readonly<Record<string, Effect>> = {
  ...UNCLEAN,
  'unplug a device': (world, chance) => {
    const name = entryFor(world, chance);
    return name !== undefined && unplug(world, name, chance.one(AWAY_MS))
      ? `of ${name}`
      : undefined;
  },
  'unplug a device at the next trial': (world, chance) => {
    const name = tryWithoutDevice(world, chance, chance.one(AWAY_MS));
    return name === undefined ? undefined : `probably of ${name}`;
  },
  'use a module twice': (world, chance) => {
    const [one, other] = world.conditions.desired.modules;
    if (!one || !other || one.isLocal || other.isLocal) return undefined;
    const { moduleId } = one;
    const constraint = constraintOf(chance);
    return changeDesired(world, (desired) => ({
      ...desired,
      modules: desired.modules.map((module) =>
        module.name === other.name ? { ...module, moduleId, constraint } : module,
      ),
      needs: desired.needs.filter((pair) => !pair.includes(other.name)),
    }));
  },
};

/** These incidents, in half of all plays: one for every three others, up to `last`. */
export function worldlyOf(
  chance: Chance,
  count: number,
  last: number,
): { readonly at: number; readonly kind: string }[] {
  if (chance.is(0.5)) return [];
  return Array.from({ length: Math.ceil(count / 3) }, () => {
    return { at: chance.between(0, last), kind: chance.one(Object.keys(WORLDLY)) };
  });
}

function entryFor({ conditions }: World, chance: Chance): string | undefined {
  const names = conditions.desired.modules.map(({ name }) => name);
  return names.length === 0 ? undefined : chance.one(names);
}

/** Something newer is published for a module that runs, and its device goes away when it is tried. The result is its name. */
function tryWithoutDevice(
  world: World,
  chance: Chance,
  awayMs: number | undefined,
): string | undefined {
  const { host, ledger } = world;
  const running = targetsOf(ledger.desired).filter(
    (target) => target.kind === 'module' && typeof knownOf(ledger, target).running === 'string',
  );
  if (!host || running.length === 0) return undefined;
  const target = chance.one(running);
  constrain(world, target.name, 'latest');
  publishAfter(world, chance, target);
  host.loose.push(awayMs);
  return target.name;
}

/** How many seasons a play of modreg's own agent has: three in half of all plays. */
export function seasonsOf(chance: Chance): number {
  return chance.is(0.5) ? 3 : 0;
}

/** How long a release is waited for that is held or refused. */
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Such a release for a machine of which everything works: incidents end within minutes, in which few releases are tried in place of
 * others. The result tells when that is over.
 */
export function season(world: World, chance: Chance): () => boolean {
  const { host, line, trace } = world;
  const awayMs = chance.one(AWAY_MS.filter((ms) => ms !== undefined));
  const name = tryWithoutDevice(world, chance, awayMs);
  if (!host || name === undefined) return () => true;
  trace.note(`something newer is there for ${name}`);
  const until = line.elapsed() + LONGEST_WAIT_MS;
  return () => {
    if (line.elapsed() > until) host.loose.splice(0);
    return host.loose.length === 0 && [...host.outages.keys()].every((one) => !outageOf(host, one));
  };
}

function constrain(world: World, name: string, constraint: string): void {
  changeDesired(world, (desired) => ({
    ...desired,
    modules: desired.modules.map((module) =>
      module.name === name ? { ...module, constraint } : module,
    ),
  }));
}
