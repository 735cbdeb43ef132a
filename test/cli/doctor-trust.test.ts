import { expect, it } from 'vitest';
import { checkRegistries } from '../../src/cli/doctor/registry-check.ts';

const NOW = Date.parse('2027-01-01T00:00:00Z');
const DAY = 86_400_000;
const ANSWERS = 'ok https://registry.example answers in 34 ms; 0 lists wanted';

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
  const facts = {
    from: 'https://registry.example',
    key: 'modreg:https://registry.example/',
    url: new URL('https://registry.example'),
    hasToken: false,
    wanted: [],
    lists: new Map(),
    failure: undefined,
    tookMs: 33.4,
    trustedUntil,
    way: undefined,
    kind: 'modreg' as const,
    path: undefined,
    place: 'policy' as const,
    identity: undefined,
    connection: undefined,
  };
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
