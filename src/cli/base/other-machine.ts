import type { World } from '../../base/world.ts';

/** modreg's variables of the user are about the machine of the user. */
const OWN_VARIABLE = /^(MODREG|PLATFORM)_/;

/** The user's environment for a command about another machine, whose home is `home`. */
export function environmentOf(
  home: string,
  { environment }: Pick<World, 'environment'>,
): World['environment'] {
  const others = Object.entries(environment).filter(([name]) => !OWN_VARIABLE.test(name));
  return { ...Object.fromEntries(others), PLATFORM_HOME: home };
}
