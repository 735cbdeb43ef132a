import { describe, expect, it } from 'vitest';
import { logEvent } from '../../src/cli/base/registry-log.ts';
import { releasesFrom, type ReleaseOptions } from '../../src/site/release-options.ts';
import { limitWarningsIn } from '../../src/site/remote-warnings.ts';
import { readServeTerms } from '../../src/cli/serve/serve-terms.ts';
import { unsavedLists } from '../../src/host/unsaved-lists.ts';
import type { SavedLists } from '../../src/registries/index.ts';
import type { RegistryEvent } from '../../src/server/registry-options.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

describe('the options of registry serve', () => {
  const OPTIONS = { host: '127.0.0.1', port: '4870', spread: '1000' };
  const TERMS = { port: 4870, spreadMs: 1000, tls: undefined, metrics: undefined };

  it.each<[object, object | string]>([
    [{}, TERMS],
    [
      { port: '0', spread: '0' },
      { port: 0, spreadMs: 0 },
    ],
    [
      { port: '65535', spread: '3600000' },
      { port: 65_535, spreadMs: 3_600_000 },
    ],
    [{ port: '65536' }, '--port is "65536", expected a whole number from 0 to 65535'],
    [{ port: '-1' }, '--port is "-1", expected a whole number from 0 to 65535'],
    [{ port: '' }, '--port is "", expected a whole number from 0 to 65535'],
    [{ port: '1e3' }, '--port is "1e3", expected a whole number from 0 to 65535'],
    [{ spread: '3600001' }, '--spread is "3600001", expected a whole number from 0 to 3600000'],
    [{ host: '' }, '--host is empty'],
    [{ tlsCert: 'x' }, '--tls-cert is given without --tls-key: pass both, or neither'],
    [{ tlsKey: 'x' }, '--tls-key is given without --tls-cert: pass both, or neither'],
    [{ tlsCert: '/no', tlsKey: '/no' }, 'the certificate "/no" does not exist'],
    [
      { metrics: '9464' },
      '--metrics is "9464", expected an address and a port, such as 127.0.0.1:9464',
    ],
  ])('%j', (options, expected) => {
    const terms = readServeTerms({ ...OPTIONS, ...options });
    expect(terms.ok ? terms.value : terms.error.message).toEqual(expected);
  });
});

function found(artifacts: number, digests: number, sizes: number): string {
  return `found ${artifacts} --artifact, ${digests} --digest and ${sizes} --size, expected a --digest for each --artifact, and a --size for each or none`;
}

describe('the options of a release', () => {
  const DIGEST = `sha256:${'ab'.repeat(32)}`;
  const artifact = (...sizes: string[]): ReleaseOptions => {
    return {
      artifact: ['any=https://x.y'],
      digest: [DIGEST],
      ...(sizes.length ? { size: sizes } : {}),
    };
  };

  it.each<[ReleaseOptions, unknown]>([
    [{}, undefined],
    [artifact(), undefined],
    [artifact('7'), 7],
    [artifact('999999999999999'), 999_999_999_999_999],
    [artifact('1234567890123456'), 'not a release: /artifacts/0/size: expected a number of bytes'],
    [artifact('7k'), 'not a release: /artifacts/0/size: expected a number of bytes'],
    [artifact('7', '8'), found(1, 1, 2)],
    [{ artifact: ['any=https://x.y'] }, found(1, 0, 0)],
    [{ digest: [DIGEST] }, found(0, 1, 0)],
    [
      { artifact: ['https://x.y?a=b'], digest: [DIGEST] },
      expect.stringContaining('/artifacts/0/platform: "https://x.y?a" is not one of'),
    ],
    [
      { file: '/x', deprecated: 'x' },
      '--file describes its releases completely: pass no version and no other option about a release',
    ],
  ])('%j', (options, expected) => {
    const read = releasesFrom(['acme:lidar', '1.0.0'], options, []);
    expect(read.ok ? read.value[0]?.artifacts?.[0]?.size : read.error.message).toEqual(expected);
  });

  it.each<[string, number | string]>([
    ['[]', 0],
    ['[{"version":"1.0.0"}]', 1],
    ['{"releases":[{"version":"1.0.0"}]}', 1],
    ['{"module_id":"acme:lidar","count":1,"releases":[{"version":"1.0.0"}]}', 1],
    [
      '{"count":2,"releases":[{"version":"1.0.0"}]}',
      '"FILE": its count is the number 2, but it has 1 release',
    ],
    [
      '{"module_id":"acme:cam","releases":[]}',
      '"FILE": its module_id is "acme:cam", expected acme:lidar',
    ],
    [
      '{"list":[]}',
      '"FILE": expected a release, a list of releases, or an object with such a list in "releases"',
    ],
    [
      '7',
      '"FILE": expected a release, a list of releases, or an object with such a list in "releases"',
    ],
    [
      '{"version":"1.0.0","version":"1.1.0"}',
      '"FILE": it has the key "version" twice in one object',
    ],
    ['[{"version":"1"},{"version":"2"}]', '"FILE": release 1 of 2: /version: "1" is not a version'],
  ])('[T424] a file with %s', (text, expected) => {
    const file = `${temporaryFolder({ 'f.json': text })}/f.json`;
    const read = releasesFrom(['acme:lidar', undefined], { file }, []);
    expect(read.ok ? read.value.length : read.error.message.replace(file, 'FILE')).toBe(expected);
  });

  it.each<[string | Uint8Array, string]>([
    ['{', 'FILE:1:2: expected "}"'],
    ['[\n  {"version": "1.0.0",}\n]', 'FILE:2:23: expected a key in double quotes'],
    ['[\n  // the first\n]', 'FILE:2:3: expected no comment'],
    [
      "[{'version': 1}]",
      'FILE:1:3: not JSON: expected text in double quotes, a number, true, false, null, {…} or […]',
    ],
    ['', 'FILE:1:1: expected a value'],
    ['\ufeff[\r\n1', 'FILE:2:2: expected "]"'],
    [Buffer.from('["a\n\xff"]', 'latin1'), 'FILE:2:1: bytes that are not UTF-8'],
    // Deeper than the program can call itself.
    ['['.repeat(100_000), 'FILE: it is not JSON in UTF-8'],
  ])('[T442] what is not JSON: %$', (text, message) => {
    const file = `${temporaryFolder({ 'f.json': text })}/f.json`;
    const read = releasesFrom(['acme:lidar', undefined], { file }, []);
    expect(
      !read.ok && { ...read.error, message: read.error.message.replace(file, 'FILE') },
    ).toEqual({ severity: 'error', kind: 'bad-json', message });
  });
});

it('warnings of a registry are read if they have a known type', () => {
  const warnings = [
    { type: 'urn:modreg:list-near-limit', detail: 'near\n' },
    { type: 'urn:modreg:list-too-large', detail: 'x'.repeat(300) },
    { type: 'urn:modreg:other', detail: 'x' },
    { type: 'urn:modreg:list-too-large', detail: 7 },
    null,
  ];
  expect(limitWarningsIn({ warnings })).toEqual([
    { kind: 'list-near-limit', message: 'near\\u{a}' },
    { kind: 'list-too-large', message: `${'x'.repeat(200)}…` },
  ]);
  expect([limitWarningsIn({}), limitWarningsIn({ warnings: 'x' })]).toEqual([[], []]);
});

it('each event of a server has its level and its fields in the log', () => {
  const release = { moduleId: moduleId('acme:lidar'), version: '1.0.0', tokenId: 't1', peer: 'p' };
  const logged = { module_id: 'acme:lidar', version: '1.0.0', token: 't1', peer: 'p' };
  const request = {
    reason: 'no-token',
    method: 'PUT',
    path: '/x\n',
    status: 401,
    peer: 'p',
  } as const;
  const events: [RegistryEvent, string, object][] = [
    [{ kind: 'published', ...release }, 'info', logged],
    [{ kind: 'yanked', ...release }, 'info', logged],
    [{ kind: 'unyanked', ...release }, 'info', logged],
    [
      {
        kind: 'uploaded',
        moduleId: release.moduleId,
        digest: 'd',
        size: 7,
        tokenId: 't1',
        peer: 'p',
      },
      'info',
      { module_id: 'acme:lidar', digest: 'd', size: 7, token: 't1', peer: 'p' },
    ],
    [
      { kind: 'refused', ...request, tokenId: undefined },
      'warn',
      { ...request, path: '/x\\u{a}', token: undefined },
    ],
    [
      { kind: 'overload', limit: 'uploads', count: 7, peer: 'p' },
      'warn',
      { limit: 'uploads', count: 7, peer: 'p' },
    ],
    [
      { kind: 'report-passed-over', sequence: 7, machine: 'rover-7', because: 'x\n' },
      'error',
      { sequence: 7, machine: 'rover-7', because: 'x\\u{a}' },
    ],
    [{ kind: 'reports-wait', because: 'x' }, 'error', { because: 'x' }],
    [{ kind: 'reports-go-on' }, 'info', {}],
    [{ kind: 'certificate-renewed', text: 'x' }, 'info', { text: 'x' }],
    [{ kind: 'certificate-kept', text: 'x' }, 'warn', { text: 'x' }],
    [{ kind: 'certificate-warning', text: 'x' }, 'warn', { text: 'x' }],
    [{ kind: 'failed', error: new Error('disk\n') }, 'error', { error: 'Error: disk\\u{a}' }],
  ];
  for (const [event, level, fields] of events) {
    const seen: unknown[] = [];
    logEvent((...line) => seen.push(...line), event);
    expect(seen).toEqual([level, event.kind, fields]);
  }
});

function list(digest: string): object {
  return { digest, firstSeen: new Map([[digest, 1]]) };
}

it('lists that a command does not save are read from it again, by module and address', () => {
  const written: unknown[] = [];
  const saved = {
    read: () => list('saved'),
    firstSeen: () => new Map([['saved', 1]]),
    stamp: () => 'saved stamp',
    version: () => 7,
    save: () => written.push('save'),
    replace: () => written.push('replace'),
    confirm: () => written.push('confirm'),
    // A cast: lists pass through unread, so a digest tells them apart.
  } as unknown as SavedLists;
  // A cast: addresses and ids are only keys.
  const own = unsavedLists(saved) as unknown as Record<string, (...args: unknown[]) => unknown>;
  const state = (address: string, id: string): unknown[] => [
    Object(own['read']?.(address, id)).digest,
    Array.from(Object(own['firstSeen']?.(address, id)) as Map<string, number>, ([key]) => key),
    own['stamp']?.(address, id),
  ];
  const before = ['saved', ['saved'], 'saved stamp'];
  expect(state('a', 'm')).toEqual(before);
  own['save']?.('a', 'm', list('one'));
  expect([state('a', 'm'), state('b', 'm'), state('a', 'n')]).toEqual([
    ['one', ['one'], 'own one'],
    before,
    before,
  ]);
  own['replace']?.('b', 'm', list('two'));
  own['confirm']?.('a', new Map([['n', list('three')]]));
  expect([state('b', 'm')[0], state('a', 'n')[0], own['version']?.(), written]).toEqual([
    'two',
    'three',
    7,
    [],
  ]);
});
