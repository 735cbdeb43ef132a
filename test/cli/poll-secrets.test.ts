import { describe, expect, it } from 'vitest';
import { maskFor } from '../../src/cli/poll/mask.ts';
import { programEnvironment, withheldValues } from '../../src/cli/poll/program-environment.ts';
import type { Delivery } from '../../src/poller/delivery.ts';
import { quietWorld } from '../support/quiet-world.ts';

interface Known {
  readonly url?: string;
  /** The variables of the module: what its entry says, and their values. */
  readonly env?: Readonly<Record<string, readonly [template: string, value: string]>>;
  readonly withheld?: readonly string[];
}

/** `text` as a log shows it. */
function masked(text: string, { url = '', env = {}, withheld = [] }: Known): string {
  const variables = Object.entries(env);
  // A cast: only these fields of a delivery may contain secrets.
  const delivery = {
    entry: { env: Object.fromEntries(variables.map(([name, [template]]) => [name, template])) },
    environment: {
      ok: true,
      value: Object.fromEntries(variables.map(([name, [, value]]) => [name, value])),
    },
    action: { artifact: { url } },
  } as unknown as Delivery;
  return maskFor(delivery, withheld)(text);
}

describe('what may be secret in the output of a program', () => {
  it.each<[string, Known, string]>([
    ['the key is abcd', { withheld: ['abcd'] }, 'the key is ***'],
    ['abc is too short', { withheld: ['abc'] }, 'abc is too short'],
    ['abcdef abcd', { withheld: ['abcd', 'abcdef'] }, '*** ***'],
    ['a debug level', { env: { LEVEL: ['debug', 'debug'] } }, 'a debug level'],
    ['a l1dar key', { env: { KEY: ['${environment.KEY}', 'l1dar'] } }, 'a *** key'],
    ['p%40ss p@ss', { withheld: ['p@ss'] }, '*** ***'],
    ['"say \\"it\\""', { withheld: ['say "it"'] }, '"***"'],
    ['first then second', { withheld: ['first\nsecond'] }, '*** then ***'],
    ['s3cret and pa55 and user', { url: 'https://user:pa55@x/f?k=s3cret' }, '*** and *** and ***'],
    ['get http://me:pw@h/f?q=1#x now', {}, 'get http://***@h/f?*** now'],
    ['get http://h/f#x now', {}, 'get http://h/f#*** now'],
    ['get http://a/http://me:pw@h/f now', {}, 'get http://a/http://***@h/f now'],
    ['get x://b://c@d/ and e@f', {}, 'get x://b://***@d/ and e@f'],
    ['<a href="http://h/?q=1">http://x/?z=2</a>', {}, '<a href="http://h/?***">http://x/?***</a>'],
    ['a? b# c@d ://', {}, 'a? b# c@d ://'],
  ])('%j', (text, known, expected) => {
    expect(masked(text, known)).toBe(expected);
  });

  it.each(['x', 'a://', 'http://a', '?', '#', '@', '://x?', 'a:b'])(
    'is masked in a line of 200,000 characters of %j (T287)',
    (part) => {
      const line = part.repeat(200_000 / part.length);
      expect(masked(`${line} http://me:pw@h/`, {})).toMatch(/ http:\/\/\*\*\*@h\/$/);
    },
  );

  it('is not passed to it: variables of modreg, and the credentials of the machine', () => {
    const environment = {
      PATH: '/bin',
      MODREG_TOKEN: 't0ken',
      MODREG_REGISTRY: '',
      PLATFORM_API_KEY: 'own',
      PLATFORM_HOME: '/h',
      NOTHING: undefined,
      MY_MODREG_X: 'kept',
    };
    const world = { ...quietWorld('linux/x64'), environment };
    expect(programEnvironment(world)).toEqual({
      PATH: '/bin',
      PLATFORM_HOME: '/h',
      MY_MODREG_X: 'kept',
    });
    expect(withheldValues(world)).toEqual(['t0ken', 'own']);
  });
});
