import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { ModuleId } from '../../src/core/index.ts';
import { versionTexts } from '../support/arbitrary.ts';
import { moduleId } from '../support/ask.ts';
import { ROOT } from '../support/modreg.ts';
import { changes, mutants } from './documents.ts';
import { AUTHOR } from '../support/signed.ts';
import { near } from './text.ts';

/** A release list in one of the formats. */
export interface ListDocument {
  readonly format: 'modreg' | 'npm' | 'oci';
  /** The module of the list. */
  readonly module: ModuleId;
  readonly bytes: Buffer;
}

export const LIDAR: ModuleId = moduleId('acme:lidar');
export const HEX: string = '5f'.repeat(32);

export const RELEASES: readonly object[] = [
  { version: '1.2.3', published_at: '2025-04-07T09:00:00Z' },
  {
    version: '1.2.9',
    published_at: '2025-07-14T09:00:00.123+02:00',
    artifacts: [
      { platform: 'linux/amd64', url: 'https://x.example/a', digest: `sha256:${HEX}`, size: 12 },
      { platform: 'linux/aarch64', digest: `SHA1:${HEX.slice(24)}` },
    ],
  },
  { version: '1.2.10', yanked: 'stops the motor', artifacts: [{ platform: 'any' }] },
  { version: '1.10.0+build.9', deprecated: 'old', artifacts: null },
  { version: '1.10.1', signatures: { [AUTHOR.id]: AUTHOR.sign('text') } },
  { version: '1.11.0', rollout: { salt: 's1', percent: 5, share: 0.05, halted: null } },
  { version: '2.0.0-rc.1', published_at: null, yanked: false },
  { version: 'reload-20250701' },
];

/** Published lists: the native format, npm packuments with a few of their versions, and OCI tags. */
export const LISTS: readonly ListDocument[] = [
  document('modreg', {
    module_id: LIDAR,
    generation: 57,
    count: RELEASES.length,
    releases: RELEASES,
  }),
  document('modreg', { releases: RELEASES.slice(0, 2) }),
  packument('next'),
  packument('typescript'),
  packument('types-node', 'types:node'),
  document('oci', { name: 'acme/lidar', tags: ['1.2.3', '1.2.9_build.7', 'latest', '2.0.0-rc.1'] }),
  document('oci', { name: 'acme/lidar', tags: null }),
];

function document(format: ListDocument['format'], json: unknown): ListDocument {
  return { format, module: LIDAR, bytes: Buffer.from(JSON.stringify(json)) };
}

function packument(name: string, module = `npm:${name}`): ListDocument {
  const path = `${ROOT}test/fixtures/registry/npm/${name}.json`;
  const whole = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, unknown>>;
  const { versions = {}, time = {} } = whole;
  const some = Object.keys(versions).filter((_, place, { length }) => place % (length >> 2) === 1);
  const pick = (from: Record<string, unknown>): object =>
    Object.fromEntries(some.map((version) => [version, from[version]]));
  const list = document('npm', { ...whole, versions: pick(versions), time: pick(time) });
  return { ...list, module: moduleId(module) };
}

/** Placeholder for a number that JSON can express but JavaScript cannot. */
const BEYOND = '1e999';

/** Fields of the formats, and unusual values of each. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  version: ['1.2.3', '1.2.3', '01.2.3', '', 7, null, ['1.2.3'], { length: 1 }, '9'.repeat(300)],
  published_at: ['2026-02-30T00:00:00Z', 'soon', 1.7e12, '9999-12-31T23:59:59Z', '', {}],
  artifacts: [[], [null], [{}], 'none', [{ platform: 7 }], [{ platform: '' }], [[[]]], 0],
  platform: ['linux/amd64', 'any', 'any/any', 'linux/', '/', '__proto__', 'linux/amd64/x', 7],
  digest: ['sha256:', 'sha256:AB', 'md5:00', ':', '__proto__', 0, 'sha1:zz', `sha512:${HEX}`],
  size: [-1, 1e308, '12', null, 0.5, BEYOND],
  yanked: [true, '', 0, {}, '\u001b[2J', 'x'.repeat(5000)],
  deprecated: [true, '', [], 'a\nb', '\u202e'],
  rollout: [{}, [], true, { salt: 's', share: 1 }, { salt: 's', percent: 5, share: 0.05 }],
  signatures: [
    [],
    {},
    'gpg',
    { [AUTHOR.id]: 7 },
    { __proto__: 'x' },
    [{ keyid: 'SHA256:a' }],
    null,
  ],
  salt: ['', 'x'.repeat(300), 7, null],
  share: [0, 1, -1, 2, BEYOND, '0.5'],
  percent: [0.1, 100, -1, BEYOND, '5'],
  halted: [true, '', 0, 'a\nb'],
  count: [0, 6, 1e9, BEYOND, '6'],
  generation: [-1, 2 ** 53, 0.5, '57', 0, BEYOND],
  module_id: ['acme:arm', 'ACME:lidar', null, 'acme:lidar '],
  releases: [[], {}, null, [[]], 'x'],
  versions: [{}, [], { '1.0.0': null }, { toString: {} }, { constructor: [] }],
  time: [{}, [], 'x', { '1.0.0': 7 }],
  os: ['linux', ['!linux'], ['!win32', 'linux'], [null], {}, '', [''], ['__proto__'], ['!']],
  cpu: ['x64', ['!x64'], ['arm64', 'any'], 7, [], ['!arm64', '!x64']],
  dist: [{ integrity: 'sha512-' }, { integrity: 'sha1-?? sha256-AAAA' }, { shasum: 0 }, [], null],
  integrity: ['sha512-AA==', 'sha512-', '-', ' '.repeat(5000), 'sha512-=', 7],
  tags: [null, [], ['_'], ['1.0.0', 7], {}, ['1.0.0_', '__proto__']],
  name: ['acme/arm', '', null, 'typescript'],
};

const junk = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...Object.entries(FIELDS).flatMap(fieldsOf)) },
  { weight: 3, arbitrary: near(versionTexts).map((text) => ['version', text] as const) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('versions', 'time'), near(versionTexts))
      .map(([key, text]) => [key, { [text]: null, '1.0.0': { deprecated: [text] } }] as const),
  },
  { weight: 1, arbitrary: fc.constantFrom(['__proto__', { polluted: true }] as const) },
  { weight: 1, arbitrary: fc.constantFrom(['constructor', { prototype: { x: 1 } }] as const) },
);

function fieldsOf([key, values]: readonly [string, readonly unknown[]]): [string, unknown][] {
  return values.map((value) => [key, value]);
}

/** Sets a field in one of the objects of a document. */
const fieldChanges: typeof changes = fc
  .tuple(fc.noBias(fc.nat()), junk, fc.boolean())
  .map(([at, [key, value], isKnown]) => (bytes: Buffer) => {
    const json = parsed(bytes);
    const objects = objectsIn(json);
    const fitting = isKnown ? objects.filter((one) => Object.hasOwn(one, key)) : objects;
    const object = fitting[at % fitting.length];
    if (!object) return bytes;
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
    return Buffer.from(JSON.stringify(json).replaceAll(`"${BEYOND}"`, BEYOND));
  });

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function objectsIn(json: unknown): object[] {
  if (typeof json !== 'object' || json === null) return [];
  const inner = Object.values(json).flatMap(objectsIn);
  return Array.isArray(json) ? inner : [json, ...inner];
}

/** Changes of the bytes or the fields of a list. */
export const listChanges: typeof changes = fc.oneof(
  { weight: 2, arbitrary: fieldChanges },
  { weight: 1, arbitrary: changes },
);

export const listMutants: fc.Arbitrary<ListDocument> = mutants(LISTS, listChanges);
