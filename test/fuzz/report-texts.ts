import fc from 'fast-check';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { lidarReport } from '../support/reported-facts.ts';

/** What the token of one machine can send: the bodies of a few reports, in their order. */
export interface SentTexts {
  /** Whether a single server takes them, or all fronts of a cluster. */
  readonly by: 'server' | 'fronts';
  readonly texts: readonly string[];
}

export const NOW: number = Date.parse('2026-11-25T12:00:00Z');

const LIDARS = [
  lidarReport({}, NOW),
  lidarReport({ window: '0 2 * * 1', constraint: 'latest' }, NOW),
  lidarReport({ minimumAgeMs: 86_400_000, quarantine: '1.3.0', until: NOW + 3_600_000 }, NOW),
];

/** Reports of honest machines. */
const BASES: readonly object[] = [
  machineReport([], { state: reportedState(1, LIDARS[0] ?? {}) }),
  machineReport([1], { state: reportedState(2, LIDARS[1] ?? {}) }),
  machineReport([], { state: reportedState(3, LIDARS[2] ?? {}, { name: 'b', kind: 'subsystem' }) }),
  machineReport([1, 2, 3]),
  machineReport([], { to: 4, after: 0 }),
  {
    ...machineReport([7], { after: 0 }),
    outcomes: machineReport([7]).outcomes.map((one) =>
      Object.assign(one, { to: '1.3.0', result: 'failed', reason: 'motor stalled' }),
    ),
  },
];

const EDGES = [0, 1, 2, 5, 2 ** 31, 2 ** 32, 2 ** 52, 2 ** 53 - 2, 2 ** 53 - 1, 2 ** 53, -1, 1.5];
const NUMBERS: readonly unknown[] = [...EDGES, 1e300, '1', null];

const TIMES: readonly unknown[] = [
  '0000-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T23:59:60Z',
  '2026-11-21T01:02:03.999999999Z',
  '2026-11-21t01:02:03z',
  '1969-12-31T23:59:59Z',
  0,
];

/** Legal texts of reports that readers might take for something else. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\n',
  '\u202e',
  '\u2028',
  '\ud800',
  '\u001b[2J',
  '"',
  "'; DROP TABLE states; --",
  '<script>',
  '{}',
  '[1]',
  'null',
  '__proto__',
  'constructor',
  'toString',
  '1.3.0',
  '1.2.9+build',
  '1.*',
  'latest',
  'none',
  '9'.repeat(400),
  '9007199254740993.0.0',
  'a'.repeat(1000),
  'é'.repeat(1000),
  '😀'.repeat(500),
];

const IDS = [
  'acme:lidar',
  'acme:arm',
  'constructor:prototype',
  'a:b',
  `a:${'b'.repeat(100)}`,
  'ACME:x',
];
const PLATFORMS = ['linux/amd64', 'linux/arm64', 'linux/aarch64', 'any', '__proto__'];

/** A list in a list, so deep. */
function nested(depth: number): unknown {
  let inner: unknown = 1;
  for (let level = 0; level < depth; level++) inner = level % 2 === 0 ? { a: inner } : [inner];
  return inner;
}

function windows(count: number, start = '0 0 30 2 *', timeZone = 'UTC'): object {
  const rule = { start, durationMs: 60_000, timeZone };
  return { $windows: Array.from({ length: count }, () => rule) };
}

const FACTS: readonly unknown[] = [
  null,
  {},
  [],
  7,
  nested(40),
  nested(257),
  nested(1001),
  { timing: nested(257) },
  { a: 'x'.repeat(33_000) },
  Object.fromEntries(Array.from({ length: 2000 }, (_, place) => [`k${place}`, place])),
];

const WINDOWS: readonly unknown[] = [
  windows(0),
  windows(1),
  windows(1, '* * * * *'),
  windows(1, '0 0 1 1 *', 'Nowhere/Land'),
  windows(1, '61 0 * * *'),
  windows(3, '0 0 30 2 *'),
  windows(474),
  { $windows: null },
  { $windows: [null] },
  { $windows: 7 },
];

/** Values of each field of a report and of its facts. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  queue: ['queue-02', 'queue-03', 'q'.repeat(64), 'short', '', 7],
  instance: ['process-B', 'process-C', '--------', ''],
  after: NUMBERS,
  to: [...NUMBERS, ...TEXTS],
  number: NUMBERS,
  at: TIMES,
  now: [...NUMBERS, 8.64e15, 1e16],
  until: [...NUMBERS, 8.64e15],
  ms: [...NUMBERS, 8.64e15],
  since: NUMBERS,
  modreg: TEXTS,
  name: TEXTS,
  reason: [...TEXTS, null],
  constraint: [...TEXTS, null, {}],
  deployed: TEXTS,
  target: [...TEXTS, null],
  decision: ['stuck', 'hold', 'upgrade', 'keep', '-', 'a'.repeat(40), '__proto__', ''],
  stops: [[], ['x'], Array.from({ length: 1000 }, () => 'x'), TEXTS.slice(0, 4), [null]],
  module_id: IDS,
  platform: PLATFORMS,
  kind: ['module', 'subsystem', 'patch', 'major', 'latest', 'none', '', null],
  result: ['done', 'failed', 'withdrawn', 'other'],
  facts: FACTS,
  window: WINDOWS,
  state: [null, {}],
  modules: [[], [null]],
  outcomes: [[], null],
};

/** Values that fit into no field. */
const JUNK: readonly unknown[] = [
  null,
  true,
  {},
  [],
  '',
  -1,
  1e308,
  { $number: 'NaN' },
  { $number: 'Infinity' },
  { $map: [[1, 2]] },
  { $map: [1] },
  { $set: ['a'] },
  { $index: 1 },
  { $windows: null },
  { __proto__: null, x: 1 },
];

/** Text that is put behind an opening brace. */
const INSERTED = [
  '"__proto__":{"polluted":1},',
  '"constructor":{"prototype":{"x":1}},',
  '"after":0,',
  '"queue":"queue-02",',
  '"facts":{"a":1},',
  '"toString":1,',
];

type Edit =
  | { readonly kind: 'field'; readonly at: number; readonly value: number }
  | { readonly kind: 'junk'; readonly at: number; readonly value: number }
  | { readonly kind: 'numbers'; readonly after: number; readonly to: number }
  | { readonly kind: 'insert'; readonly at: number; readonly text: string };

const at = fc.noBias(fc.nat());
const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('field'), at, value: at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('junk'), at, value: at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('numbers'),
      after: fc.constantFrom(0, ...EDGES),
      to: fc.constantFrom(...EDGES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('insert'), at, text: fc.constantFrom(...INSERTED) }),
  },
);

const reports: fc.Arbitrary<string> = fc
  .tuple(fc.nat({ max: BASES.length - 1 }), fc.array(edits, { maxLength: 3 }))
  .map(([base, list]) => list.reduce(edited, BASE_TEXTS[base] ?? ''));

const BASE_TEXTS = BASES.map((base) => JSON.stringify(base));

/** One to three reports of a machine. Most differ in their numbers or in a few fields from those of honest machines. */
export const sentTexts: fc.Arbitrary<SentTexts> = fc.record({
  by: fc.constantFrom('server', 'fronts'),
  texts: fc.array(reports, { minLength: 1, maxLength: 3 }),
});

function edited(text: string, edit: Edit): string {
  if (edit.kind === 'insert') return text.replace('{', `{${edit.text}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return text;
  }
  if (edit.kind === 'numbers') {
    return JSON.stringify({ ...Object(json), after: edit.after, to: edit.to, outcomes: [] });
  }
  const fields = fieldsIn(json).filter(([, key]) => edit.kind === 'junk' || key in FIELDS);
  const field = fields[edit.at % fields.length];
  if (!field) return text;
  const [object, key] = field;
  const values = edit.kind === 'junk' ? JUNK : (FIELDS[key] ?? JUNK);
  Object.defineProperty(object, key, { value: values[edit.value % values.length] });
  return JSON.stringify(json);
}

/** Each field of each object, but not those of deep facts. */
function fieldsIn(json: unknown, depth = 0): [object: object, key: string][] {
  if (typeof json !== 'object' || json === null || depth > 10) return [];
  const keys = Array.isArray(json) ? [] : Object.keys(json);
  return [
    ...keys.map((key): [object, string] => [json, key]),
    ...Object.values(json)
      .slice(0, 50)
      .flatMap((one) => fieldsIn(one, depth + 1)),
  ];
}
