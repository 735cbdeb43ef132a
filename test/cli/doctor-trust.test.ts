import { expect, it } from 'vitest';
import { checkRegistries, failuresOf } from '../../src/cli/doctor/registry-check.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { moduleId } from '../support/ask.ts';

const NOW = Date.parse('2027-01-01T00:00:00Z');
const DAY = 86_400_000;
const ANSWERS = 'ok https://registry.example answers in 34 ms; 0 lists wanted';

const FACTS = {
  from: 'https://registry.example',
  key: 'modreg:https://registry.example/',
  url: new URL('https://registry.example'),
  hasToken: false,
  wanted: [],
  lists: new Map(),
  failure: undefined,
  tookMs: 33.4,
  way: undefined,
  kind: 'modreg' as const,
  path: undefined,
  place: 'policy' as const,
  identity: undefined,
  connection: undefined,
  hasSystemd: true,
};

it.each<[string, number | undefined, readonly string[]]>([
  ['says nothing without one', undefined, [ANSWERS]],
  ['says nothing 60 days before', NOW + 60 * DAY, [ANSWERS]],
  [
    'warns after that',
    NOW + 60 * DAY - 1000,
    [
      ANSWERS,
      'warning the trust document of https://registry.example expires at 2027-03-01T23:59:59Z, in 59 d 23 h store a later version on the host of the registry before then: modreg keys update',
    ],
  ],
  // An answer by one that has expired is an error already.
  ['says nothing after its end', NOW, [ANSWERS]],
])('[D151] doctor, of a trust document: %s', (_title, trustedUntil, expected) => {
  const facts = { ...FACTS, trustedUntil };
  const found = checkRegistries(
    {
      registries: [facts],
      problems: [],
      warnings: [],
      isWanted: true,
      ahead: new Map(),
      place: 'policy',
    },
    NOW,
  );
  expect(
    found.map(({ severity, found: text, fix = '' }) => `${severity} ${text} ${fix}`.trim()),
  ).toEqual(expected);
});

it.each([
  ['of its registry', new RegistryError('registry-unreachable', 'no route'), 'no route'],
  ['of the list, without one of its registry', undefined, 'the list is too old'],
])('doctor says of a saved list that is too old the cause %s', (_, cause, expected) => {
  const error = new RegistryError('list-stale', 'the list is too old', { cause });
  const lists = new Map([[moduleId('acme:lidar'), { ok: false, error } as const]]);
  const failures = failuresOf({ ...FACTS, trustedUntil: undefined, lists });
  expect([...failures.values()].map(({ message }) => message)).toEqual([expected]);
});
