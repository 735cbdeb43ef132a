import fc from 'fast-check';
import { near } from './text.ts';

/** A request for a change of one module. */
export interface ChangeRequest {
  readonly kind: 'publish' | 'yank' | 'unyank' | 'rollout';
  readonly version: string;
  /** JSON; `"LAST"` stands for the number of the last event of the rollout. */
  readonly body: string;
}

/** What the tokens of a namespace can ask for: changes of one module, in their order. */
export interface AskedChanges {
  readonly by: 'server' | 'fronts';
  readonly requests: readonly ChangeRequest[];
}

const HEX = '5f'.repeat(32);
const ARTIFACT = { platform: 'linux/arm64', url: 'https://x.example/a', digest: `sha256:${HEX}` };

const BASES: readonly object[] = [
  {},
  { published_at: '2025-04-07T09:00:00Z' },
  { artifacts: [ARTIFACT, { ...ARTIFACT, platform: 'linux/amd64', size: 12 }] },
  { deprecated: 'old', yanked: 'burns' },
  { rollout: { soak_ms: 3_600_000 } },
  { published_at: '2026-11-25T12:00:00Z', rollout: {}, artifacts: [] },
];

const ROLLOUT_BASES: readonly object[] = [
  { event: 'start', soak_ms: 0 },
  { event: 'raise', after: 'LAST', percent: 50 },
  { event: 'raise', after: 'LAST' },
  { event: 'halt', after: 'LAST', reason: 'stop' },
  { event: 'resume', after: 'LAST', acknowledged: { failed: 0, silent: 0 } },
  { event: 'retract', after: 'LAST', reason: 'bad' },
];

const TEXTS: readonly unknown[] = [
  '',
  '\0',
  '\n',
  '\u202e',
  '\ud800',
  '\u2028',
  '"',
  '__proto__',
  'x'.repeat(1000),
  '😀'.repeat(1000),
  'é'.repeat(1000),
  'x'.repeat(1001),
  null,
  true,
];
const NUMBERS: readonly unknown[] = [
  0,
  1,
  -1,
  1.5,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  1e308,
  '1',
  null,
];

const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  published_at: [
    '0000-01-01T00:00:00+23:59',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '9999-12-31T23:59:60Z',
    '9999-12-31T23:59:59.999Z',
    '0000-12-31T23:59:60-23:59',
    '1969-12-31T23:59:59.9999Z',
    '2026-02-30T00:00:00Z',
    '2024-02-29t23:59:59.000000000000000000000000000001z',
    '-000001-12-31T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    7,
  ],
  artifacts: [[], null, [ARTIFACT], [ARTIFACT, ARTIFACT], [{}], {}],
  platform: ['any', 'linux/any', 'any/amd64', 'linux/aarch64', 'LINUX/arm64', '__proto__', ''],
  url: [
    'http://x.example',
    'https://x.example/%00',
    'https://[::1]:99/a?b#c',
    `../../artifacts/sha256/${HEX}`,
    'https://u:p@x.example/',
    'javascript:1',
    `https://x.example/${'a'.repeat(5000)}`,
    'https://x.example/\u202e',
    ' https://x.example',
  ],
  digest: [`sha512:${HEX}${HEX}`, `SHA256:${HEX}`, 'sha256:', `sha1:${HEX.slice(24)}`],
  size: NUMBERS,
  deprecated: TEXTS,
  yanked: TEXTS,
  reason: TEXTS,
  rollout: [null, {}, { soak_ms: 0 }, { soak_ms: 720 * 3_600_000 }, []],
  soak_ms: NUMBERS,
  after: ['LAST', ...NUMBERS],
  percent: [...NUMBERS, 100, 99, 25, 0.01, 33.333333333333336],
  acknowledged: [{ failed: 2 ** 53 - 1, silent: 0 }, { failed: 0 }, null],
  failed: NUMBERS,
  silent: NUMBERS,
};

const VERSIONS = [
  '1.0.0',
  '1.0.1',
  '2.0.0-rc.1',
  '1.0.0+build.9',
  '0.0.0',
  '9007199254740991.0.0',
  '1.0.0--',
  '1.0.0-__proto__',
  '1.0.0+constructor',
  `1.0.0-${'a'.repeat(200)}`,
  'reload-20250701',
];

const at = fc.noBias(fc.nat());
const edits = fc.record({ at, value: at });
const version = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('1.0.0', '1.0.1') },
  { weight: 8, arbitrary: fc.constantFrom(...VERSIONS) },
  { weight: 2, arbitrary: near(fc.constantFrom(...VERSIONS), ['+', '-', '.', '00']) },
);

function bodies(bases: readonly object[], most: number): fc.Arbitrary<object> {
  return fc
    .tuple(fc.nat({ max: bases.length - 1 }), fc.array(edits, { maxLength: most }))
    .map(([base, list]) => list.reduce(edited, structuredClone(bases[base] ?? {})));
}

const INSERTED = ['"__proto__":{"x":1},', '"version":"1.0.0",', '"yanked":"a","yanked":"b",'];

const requests: fc.Arbitrary<ChangeRequest> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(version, bodies(BASES, 2), fc.nat({ max: 40 }))
      .map(([one, body, place]) => ({
        kind: 'publish' as const,
        version: one,
        body: JSON.stringify({ version: one, ...body }).replace('{', `{${INSERTED[place] ?? ''}`),
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(version, bodies([{ reason: 'burns' }, {}], 1))
      .map(([one, body]) => ({ kind: 'yank' as const, version: one, body: JSON.stringify(body) })),
  },
  {
    weight: 1,
    arbitrary: version.map((one) => ({ kind: 'unyank' as const, version: one, body: '' })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(version, bodies(ROLLOUT_BASES, 1))
      .map(([one, body]) => ({
        kind: 'rollout' as const,
        version: one,
        body: JSON.stringify(body),
      })),
  },
);

export const askedChanges: fc.Arbitrary<AskedChanges> = fc.record({
  by: fc.constantFrom('server', 'fronts'),
  requests: fc.array(requests, { minLength: 1, maxLength: 4 }),
});

/** Sets a field of an object, or adds one that it may have. */
function edited(body: object, edit: { readonly at: number; readonly value: number }): object {
  const known = fieldsIn(body);
  const added = ['published_at', 'artifacts', 'deprecated', 'yanked', 'rollout', 'reason'];
  const fields = [...known, ...added.map((key): [object, string] => [body, key])];
  const [object, key] = fields[edit.at % fields.length] ?? [body, 'yanked'];
  const values = FIELDS[key] ?? TEXTS;
  const value = values[edit.value % values.length];
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
  return body;
}

function fieldsIn(json: unknown): [object: object, key: string][] {
  if (typeof json !== 'object' || json === null) return [];
  const keys = Array.isArray(json) ? [] : Object.keys(json);
  return [
    ...keys.map((key): [object, string] => [json, key]),
    ...Object.values(json).flatMap((one) => fieldsIn(one)),
  ];
}
