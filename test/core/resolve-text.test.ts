import { expect, it } from 'vitest';
import {
  indexReleases,
  parseConstraint,
  resolve,
  type Eligibility,
  type ReleaseRecord,
} from '../../src/core/index.ts';

const ARM = { platform: 'linux/arm64', url: 'https://files.example/arm.tgz' };
const ANY = { platform: 'any', url: 'https://files.example/any.tgz' };
const LIST: readonly ReleaseRecord[] = [
  { version: '1.2.9', artifacts: [ANY, ARM] },
  { version: '1.3.0', artifacts: [ANY], publishedAt: 5000 },
];
const INDEX = indexReleases(LIST);
const parsed = parseConstraint('1.*');
if (!parsed.ok) throw new Error(parsed.error.message);

/** What was selected, and its file. */
function outcome(...query: Parameters<typeof resolve>): string {
  const resolution = resolve(...(query as [string, readonly ReleaseRecord[], Eligibility?]));
  const selected = resolution.kind === 'resolved' ? resolution.release.version.text : 'nothing';
  const refused = [...resolution.refused()].map(({ reason }) => reason);
  return `${selected} ${resolution.artifact?.url ?? 'without a file'}; ${refused.join()}`;
}

it.each([
  ['1.*', LIST, { now: 9, platform: 'linux/arm64' }, `1.3.0 ${ANY.url}; older`],
  ['1.2.*', LIST, { now: 9, platform: 'linux/arm64' }, `1.2.9 ${ARM.url}; other-minor`],
  ['1.2.*', LIST, { now: 9, platform: 'linux/amd64' }, `1.2.9 ${ANY.url}; other-minor`],
  ['1.2.*', LIST, { now: 9 }, '1.2.9 without a file; other-minor'],
  ['1.2.*', LIST, undefined, '1.2.9 without a file; other-minor'],
  [
    '2.*',
    LIST,
    { now: 9, platform: 'linux/arm64' },
    'nothing without a file; other-major,other-major',
  ],
  [
    '1.*',
    LIST,
    { now: 6000, platform: 'linux/arm64', minimumAge: { ms: 2000, unknown: 'allow' } },
    `1.2.9 ${ARM.url}; too-young`,
  ],
  [
    '1.*',
    ['1.0.0', 'nightly'],
    { now: 9, platform: 'linux/arm64' },
    '1.0.0 without a file; not-a-version',
  ],
  ['1.*', INDEX, { now: 9, platform: 'linux/arm64' }, `1.3.0 ${ANY.url}; older`],
  [parsed.value, LIST, { now: 9, platform: 'linux/arm64' }, `1.3.0 ${ANY.url}; older`],
  [parsed.value, new Set(['1.0.0']), { now: 9 }, '1.0.0 without a file; '],
] as const)('[D341] resolve(%j, %j, %j) selects %s', (constraint, list, eligibility, expected) => {
  expect(outcome(constraint as never, list as never, eligibility)).toBe(expected);
});

it('[D341] what is parsed already is resolved as it was, without a file', () => {
  expect(Object.keys(resolve(parsed.value, INDEX))).not.toContain('artifact');
});

it.each([
  ['^1.2.3', '"^1.2.3" is not a version constraint; did you mean 1.* ?'],
  ['', '"" is not a version constraint'],
])('[D341] a text that is no constraint is a RangeError: %j', (constraint, message) => {
  const error = expect.objectContaining({
    name: 'RangeError',
    message: `resolve(): ${message}`,
    cause: expect.objectContaining({ kind: 'bad-constraint', text: constraint }),
  });
  expect(() => resolve(constraint, LIST)).toThrow(error);
});

it.each<[string, readonly unknown[]]>([
  [
    'found the number 1 as constraint, expected a Constraint of parseConstraint(), or text',
    [1, LIST],
  ],
  [
    'found a Result as constraint, expected a Constraint of parseConstraint(), or text',
    [parsed, LIST],
  ],
  [
    'found "1.0.0" as index, expected a ReleaseIndex of indexReleases(), or an iterable of versions or of records with a version',
    ['1.*', '1.0.0'],
  ],
  [
    'found the boolean true as the first release.yanked, expected the reason as text, or nothing if it is not yanked',
    ['1.*', [{ version: '1.0.0', yanked: true }]],
  ],
  ['found "0" as eligibility.now, expected a number', ['1.*', LIST, { now: '0' }]],
  ['found "platfrom" in eligibility, expected "platform"', ['1.*', LIST, { now: 0, platfrom: '' }]],
])('[D341] %s', (message, query) => {
  expect(() => resolve(...(query as [string, string[]]))).toThrow(
    new TypeError(`resolve(): ${message}`),
  );
});
