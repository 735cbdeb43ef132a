import { constraintOf, desiredOf, requirementTermsOf, termsOf } from './beginnings.ts';
import type { Chance } from './chance.ts';
import type { Desired, DesiredModule } from './desired.ts';
import type { World } from './world.ts';

/** How an incident ends the running process. */
export interface ProcessControl {
  readonly kill: (why: string) => void;
  readonly loseDisk: () => void;
  readonly losePower: () => void;
  readonly restart: () => void;
  /** The agent notices what another process has written. */
  readonly look: () => void;
}

/** Plays an incident. Returns a description of its effect, or undefined when it had none. */
export type Effect = (world: World, chance: Chance, control: ProcessControl) => string | undefined;

/** Operators want something else. */
export const CONFIGURING: Readonly<Record<string, Effect>> = {
  'change a constraint': (world, chance) =>
    changeDesired(world, (desired) => {
      const place = chance.below(desired.modules.length);
      const constraint = constraintOf(chance);
      return {
        ...desired,
        modules: desired.modules.map((module, at): DesiredModule =>
          at === place ? { ...module, constraint } : module,
        ),
      };
    }),
  'change everything': (world, chance) => changeDesired(world, () => desiredOf(chance)),
  'remove a module': (world, chance) =>
    changeDesired(world, (desired) => {
      const place = chance.below(desired.modules.length + 1);
      const modules = desired.modules.filter((_, at) => at !== place);
      const isThere = (name: string): boolean => modules.some((module) => module.name === name);
      return { ...desired, modules, needs: desired.needs.filter((pair) => pair.every(isThere)) };
    }),
  'change the terms': (world, chance) =>
    changeDesired(world, (desired) => ({ ...desired, terms: termsOf(chance) })),
  'change the subsystems': (world, chance) =>
    changeDesired(world, (desired) => ({
      ...desired,
      server: {
        channel: chance.one(['stable', 'latest']),
        pin: chance.is(0.3) ? '1.0.1' : undefined,
        pinUrl: undefined,
        isDisabled: chance.is(0.2),
      },
      agent: { pin: chance.is(0.3) ? '1.0.1' : undefined, pinUrl: undefined },
    })),
};

const SHA256 = 'a3'.repeat(32);
const ADDRESSES = [
  'https://files.example/server',
  `https://files.example/server#sha256=${SHA256}`,
  'https://files.example/other',
];

export const PINNING: typeof CONFIGURING = {
  'pin an address': (world, chance) =>
    changeDesired(world, (desired) => {
      const pinUrl = chance.one([...ADDRESSES, ...ADDRESSES, undefined]);
      return chance.is(0.5)
        ? { ...desired, server: { ...desired.server, pinUrl } }
        : { ...desired, agent: { ...desired.agent, pinUrl } };
    }),
  'change what is provided': (world, chance) => {
    changeDesired(world, (desired) => ({ ...desired, ...requirementTermsOf(chance) }));
    const { provides, tags } = world.conditions.desired;
    return JSON.stringify({ provides, tags });
  },
};

/** Operators want this from now on. */
export function changeDesired(
  { conditions }: World,
  change: (desired: Desired) => Desired,
): string {
  conditions.desired = change(conditions.desired);
  return conditions.desired.modules
    .map(({ name, constraint }) => `${name} ${constraint}`)
    .join(', ');
}
