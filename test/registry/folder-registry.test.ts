import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderRegistry } from '../../src/registry/folder-registry.ts';
import { originOf } from '../../src/registry/list-origin.ts';
import { moduleId } from '../support/ask.ts';
import { plain } from '../support/decoded-list.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openFiles } from '../support/open-files.ts';
import { outcomeOf } from './support/remembered.ts';

const EMPTY_LIST = '{"releases": []}';
const LIST = '{"releases": [{"version": "1.0.0"}]}';

async function read(folder: string, id = 'acme:lidar'): Promise<unknown> {
  return plain(await folderRegistry(folder, () => 1000).read(moduleId(id)));
}

it('reads a list with its source and time', async () => {
  const folder = temporaryFolder({ 'acme/lidar.json': LIST });
  expect(await read(folder)).toEqual({
    records: [{ version: '1.0.0' }],
    dropped: [],
    source: 'folder',
    from: `"${folder}"`,
    fetchedAt: 1000,
    firstSeen: { since: 1000, added: new Map() },
  });
});

it.each([
  ['a list', LIST, /^1\.0\.0$/],
  ['a file that is no list', '', /^not-a-registry: /],
])('leaves no file open after %s', async (_, content, outcome) => {
  const folder = temporaryFolder({ 'acme/lidar.json': content });
  expect(await outcomeOf(folderRegistry(folder, () => 1000).read(moduleId('acme:lidar')))).toMatch(
    outcome,
  );
  expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([]);
});

it.each([
  ['36 7000', LIST, 7],
  ['36 8000', LIST, 8],
  ['37 7000', `${LIST}\n`, 7],
])('the digest of its origin is the size and the time of change: %s', async (digest, list, at) => {
  const folder = temporaryFolder({ 'acme/lidar.json': list });
  utimesSync(join(folder, 'acme/lidar.json'), at, at);
  const { records } = await folderRegistry(folder, () => 1000).read(moduleId('acme:lidar'));
  expect(originOf(records)).toEqual({ address: folder, digest });
});

describe('refuses a file that is not a release list', () => {
  it.each<[string, string | Uint8Array, string, string]>([
    ['empty', '', 'not-a-registry', 'it is not JSON: it ends too early'],
    [
      '[T424] with a key twice',
      '{"releases": [{"version":"1.0.0","version":"1.1.0"}]}',
      'not-a-registry',
      'it has the key "version" twice in one object',
    ],
    ['cut short', '{"releases": [', 'not-a-registry', 'it is not JSON: it ends too early'],
    ['an HTML page', '<html></html>', 'not-a-registry', 'it is not JSON'],
    [
      'an extra comma',
      '{\n"releases": [],\n}',
      'not-a-registry',
      'it is not JSON at line 3 column 1',
    ],
    ['NaN', '{"releases": NaN}', 'not-a-registry', 'it is not JSON'],
    [
      'a byte order mark',
      '\ufeff{"releases": []}',
      'not-a-registry',
      'it is not JSON: it begins with a byte order mark',
    ],
    [
      'UTF-16',
      new Uint8Array(Buffer.from(EMPTY_LIST, 'utf16le')),
      'not-a-registry',
      'it is not JSON at line 1 column 2',
    ],
    ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'not-a-registry', 'it is not UTF-8 text'],
    ['null', 'null', 'not-a-registry', 'found null, expected an object'],
    [
      'fewer releases than its count',
      '{"count": 2, "releases": []}',
      'registry-regressed',
      '/count is 2, but /releases has a length of 0',
    ],
    [
      'a million brackets deep',
      '['.repeat(1e6) + ']'.repeat(1e6),
      'not-a-registry',
      'found a list, expected an object',
    ],
  ])('%s', async (_, content, kind, message) => {
    const folder = temporaryFolder({ 'acme/lidar.json': content });
    const path = join(folder, 'acme/lidar.json');
    await expect(read(folder)).rejects.toMatchObject({
      kind,
      message: `"${path}" is ${kind === 'not-a-registry' ? 'not a release list' : 'cut short'}: ${message}`,
    });
  });

  it('too many commas and brackets', async () => {
    const folder = temporaryFolder({
      'acme/lidar.json': `{"releases": [${'0,'.repeat(4_200_000)}0]}`,
    });
    await expect(read(folder)).rejects.toMatchObject({
      kind: 'list-too-large',
      message: `"${folder}/acme/lidar.json" is too large: it has more than 4000000 commas and brackets`,
    });
  });

  it('larger than 64 MiB', async () => {
    const folder = temporaryFolder({ 'acme/lidar.json': '' });
    const path = join(folder, 'acme/lidar.json');
    execFileSync('truncate', ['--size=67108865', path]);
    await expect(read(folder)).rejects.toMatchObject({
      kind: 'list-too-large',
      message: `"${path}" has 67108865 bytes (limit 67108864)`,
    });
  });

  it.each<[string, (path: string) => void, string]>([
    ['a folder', (path) => mkdirSync(path), 'is not a file'],
    ['a pipe without a writer', (path) => execFileSync('mkfifo', [path]), 'is not a file'],
    ['a link to itself', (path) => symlinkSync(path, path), 'ELOOP'],
  ])('%s', async (_, make, found) => {
    const folder = temporaryFolder({ 'acme/arm.json': EMPTY_LIST });
    const path = join(folder, 'acme/lidar.json');
    make(path);
    const message = found === 'ELOOP' ? `cannot read "${path}" (ELOOP)` : `"${path}" ${found}`;
    await expect(read(folder)).rejects.toMatchObject({ kind: 'unreadable-file', message });
  });
});

describe('a missing module', () => {
  it.each([
    ['acme:lidr', 'acme:lidar', 'namespace acme has 2 modules: arm, lidar'],
    ['acme:gps', undefined, 'namespace acme has 2 modules: arm, lidar'],
    ['acmee:lidar', 'acme:lidar', 'there is no namespace acmee; found 2 namespaces: acme, zeta'],
    ['nimbus:x', undefined, 'there is no namespace nimbus; found 2 namespaces: acme, zeta'],
    ['zeta:arm', undefined, 'namespace zeta has 1 module: z'],
  ])('%s', async (id, suggestion, hint) => {
    const folder = temporaryFolder({
      'acme/arm.json': EMPTY_LIST,
      'acme/lidar.json': EMPTY_LIST,
      'acme/not a module.json': EMPTY_LIST,
      'acme/readme.txt': '',
      'zeta/z.json': EMPTY_LIST,
      'README.md': '',
    });
    await expect(read(folder, id)).rejects.toMatchObject({
      kind: 'unknown-module',
      message: `the folder "${folder}" has no module ${id}`,
      suggestion,
      hint,
    });
  });

  it.each([
    [10, '10 modules: m00, m01, m02, m03, m04, m05, m06, m07, m08, m09'],
    [11, '11 modules: m00, m01, m02, m03, m04, m05, m06, m07, m08, m09, …'],
  ])('lists at most ten of %i modules, in order', async (count, listed) => {
    const names = Array.from({ length: count }, (_, at) => `m${String(at).padStart(2, '0')}`);
    const files = names.toReversed().map((name) => [`acme/${name}.json`, EMPTY_LIST] as const);
    const folder = temporaryFolder(Object.fromEntries(files));
    await expect(read(folder, 'acme:other')).rejects.toMatchObject({
      hint: `namespace acme has ${listed}`,
    });
  });

  it('a dangling link is not suggested for its own name, and linked namespaces are listed', async () => {
    const folder = temporaryFolder({ 'zeta/z.json': EMPTY_LIST });
    symlinkSync('zeta', join(folder, 'acme'));
    symlinkSync('nowhere', join(folder, 'zeta/lidar.json'));
    await expect(read(folder)).rejects.toMatchObject({
      kind: 'unknown-module',
      suggestion: undefined,
      hint: 'namespace acme has 2 modules: lidar, z',
    });
  });

  it('has no suggestion and no hint if a namespace cannot be listed', async () => {
    const folder = temporaryFolder({ 'acme/arm.json': EMPTY_LIST });
    symlinkSync('nowhere', join(folder, 'beta'));
    const error = { kind: 'unknown-module', suggestion: undefined, hint: undefined };
    await expect(read(folder, 'acme:arn')).rejects.toMatchObject(error);
  });

  it('in an empty folder has a hint that there are no modules', async () => {
    await expect(read(temporaryFolder())).rejects.toMatchObject({
      kind: 'unknown-module',
      hint: 'it has no modules',
    });
  });

  it.each([
    ['missing', 'does not exist'],
    ['file', 'is not a folder'],
  ])('%s as the registry folder: %s', async (name, verdict) => {
    const folder = join(temporaryFolder({ file: '' }), name);
    await expect(read(folder)).rejects.toMatchObject({
      kind: 'unreadable-file',
      message: `the registry folder "${folder}" ${verdict}`,
    });
  });
});
