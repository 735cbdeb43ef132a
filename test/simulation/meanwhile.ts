import semver from 'semver';
import type { Chance } from './chance.ts';
import { changeDesired, type Effect } from './configuring.ts';
import type { DesiredModule, DesiredTerms } from './desired.ts';
import { knownOf, targetsOf, termsOf, type OpenAction, type Target } from './ledger.ts';
import { neededBy } from './needs.ts';
import { quarantine } from './operator.ts';
import { newRelease, publishing, withdrawing } from './published.ts';
import type { World } from './world.ts';

/*
 * What may happen while modreg's own agent downloads a version that it is about to deploy. (D72)
 */

const MINUTE = 60_000;
const MINUTES_OF_DAY = 1440;

export const MEANWHILE: Readonly<Record<string, Effect>> = {
  'open a window for a moment': (world, chance) => {
    const began = Math.floor(world.line.wall() / MINUTE) - chance.below(3);
    const minute = ((began % MINUTES_OF_DAY) + MINUTES_OF_DAY) % MINUTES_OF_DAY;
    const minutes = chance.one([1, 2, 5, 30]);
    return withWindows(world, [{ minute, minutes }]);
  },
  'open every window': (world) => withWindows(world, []),
  'answer otherwise': ({ conditions }, chance) => {
    conditions.maintenance = chance.one(['allowed', 'allowed', 'not allowed', 'throws']);
    return conditions.maintenance;
  },
  'be busy': ({ conditions, ledger }, chance) => {
    conditions.isServerBusy = chance.is(0.4);
    ledger.isServerBusy = conditions.isServerBusy;
    return String(conditions.isServerBusy);
  },
  'yank what is delivered': (world, chance) =>
    withDelivered(world, chance, ({ target, to }) =>
      registryOf(world, target.name)?.revise(target.moduleId, withdrawing(to)),
    ),
  'publish a release after what is delivered': (world, chance) =>
    withDelivered(world, chance, ({ target }) => publishAfter(world, chance, target)),
  'publish a release of what it depends on': (world, chance) =>
    withDelivered(world, chance, ({ target }) => {
      const { desired } = world.ledger;
      const needed = desired ? neededBy(desired, target) : new Set<string>();
      const others = targetsOf(desired).filter(({ moduleId }) => needed.has(moduleId));
      return others.length > 0 && publishAfter(world, chance, chance.one(others));
    }),
  'exclude what is delivered': (world, chance) =>
    withDelivered(world, chance, ({ target }) => {
      const { running } = knownOf(world.ledger, target);
      const constraint = typeof running === 'string' && semver.valid(running) ? running : '0.*';
      return withModules(world, (modules) =>
        modules.map((one) => (one.name === target.name ? { ...one, constraint } : one)),
      );
    }),
  'remove what is delivered': (world, chance) =>
    withDelivered(world, chance, ({ target }) =>
      withModules(world, (modules) => modules.filter(({ name }) => name !== target.name)),
    ),
  'refuse what is delivered': (world, chance) =>
    withDelivered(world, chance, ({ target, to }) => {
      const isRefused = world.ledger.quarantine.has(`${target.moduleId} ${to}`);
      if (world.disk.isFull() || isRefused || semver.valid(to) === null) return false;
      quarantine(world, target, to);
      return true;
    }),
};

/** Publishes a release after those of a target. Returns false if the registry has it. */
export function publishAfter(world: World, chance: Chance, { name, moduleId }: Target): boolean {
  const registry = registryOf(world, name);
  if (!registry) return false;
  const release = newRelease(registry.truth(moduleId).releases, chance, world.line.wall());
  return registry.revise(moduleId, publishing(release));
}

function withWindows(world: World, windows: DesiredTerms['windows']): string {
  return changeDesired(world, (desired) => ({
    ...desired,
    terms: { ...desired.terms, windows },
    own: Object.fromEntries(
      Object.entries(desired.own).map(([name, terms]) => [name, { ...terms, windows }]),
    ),
  }));
}

function withModules(
  world: World,
  change: (modules: readonly DesiredModule[]) => readonly DesiredModule[],
): true {
  changeDesired(world, (desired) => {
    const modules = change(desired.modules);
    const isThere = (name: string): boolean => modules.some((module) => module.name === name);
    return { ...desired, modules, needs: desired.needs.filter((pair) => pair.every(isThere)) };
  });
  return true;
}

function registryOf(
  { sites, ledger }: World,
  name: string,
): World['sites'][number]['registry'] | undefined {
  const address = ledger.desired && termsOf(ledger.desired, name).registry;
  return sites.find(({ registry }) => registry.address === address)?.registry;
}

/** Does `work` with an action that a consumer has, unless there is none or it has no effect. */
function withDelivered(
  { ledger }: World,
  chance: Chance,
  work: (open: OpenAction) => boolean | undefined,
): string | undefined {
  const all = [...ledger.open.values()].filter(({ state }) => state === 'delivered');
  if (all.length === 0) return undefined;
  const open = chance.one(all);
  return work(open) === true ? `${open.id}, ${open.to} of ${open.target.name}` : undefined;
}
