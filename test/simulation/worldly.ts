import { constraintOf } from './beginnings.ts';
import type { Chance } from './chance.ts';
import { changeDesired, type Effect } from './configuring.ts';
import { AWAY_MS, unplug } from './devices.ts';
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
    const { host, ledger } = world;
    const running = targetsOf(ledger.desired).filter(
      (target) => target.kind === 'module' && typeof knownOf(ledger, target).running === 'string',
    );
    if (!host || running.length === 0) return undefined;
    const target = chance.one(running);
    // Something newer is tried in place of what works.
    constrain(world, target.name, 'latest');
    publishAfter(world, chance, target);
    host.loose.push(chance.one(AWAY_MS));
    return `probably of ${target.name}`;
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

function constrain(world: World, name: string, constraint: string): void {
  changeDesired(world, (desired) => ({
    ...desired,
    modules: desired.modules.map((module) =>
      module.name === name ? { ...module, constraint } : module,
    ),
  }));
}
