import type { World } from '../../base/world.ts';

/** Variables of modreg and the machine's credentials, which a program that modreg runs never receives. */
const OWN = /^(?:MODREG|PLATFORM_API)_/;

/** The environment variables for a program that modreg runs. */
export function programEnvironment({ environment }: World): Record<string, string> {
  const entries = Object.entries(environment);
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value === undefined || OWN.test(name) ? [] : [[name, value]],
    ),
  );
}

/** The values of the variables that a program never receives. They must not appear in its reasons either. */
export function withheldValues({ environment }: World): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) =>
    OWN.test(name) && value !== '' ? value : [],
  );
}
