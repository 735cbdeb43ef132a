import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { parseRegistryAddress } from '../../src/registry/address.ts';
import { systemClock } from '../../src/registries/index.ts';
import { networkFetch } from '../../src/registry/http/network.ts';
import { registryWriter, type RegistryWriter } from '../../src/registry/registry-writer.ts';
import { modregRegistry } from '../../mocks/modreg-registry.ts';
import type { Answer } from '../../mocks/network.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { answers, HOST, json, status as answerStatus } from '../../mocks/scripted-registry.ts';
import { moduleId } from '../support/ask.ts';
import { tokenFor } from '../support/token.ts';

const asked = answers();
const PROBLEM = { 'content-type': 'application/problem+json' };

const LIDAR = moduleId('acme:lidar');
const RELEASE = '{"version":"1.0.0"}';
const PATH = '/v1/modules/acme/lidar/releases';

function unopened(): never {
  throw new Error('opened');
}

/** What a registry says is wrong with a change. */
function problem(kind: string, status: number, errors?: readonly string[]): Answer {
  const body = { type: `urn:modreg:${kind}`, detail: 'a\nb', errors };
  return () => Response.json(body, { status, headers: PROBLEM });
}

/** A writer that does not wait before it repeats a request. */
function writerAt(address: string, token: string, fetch?: typeof globalThis.fetch): RegistryWriter {
  const parsed = parseRegistryAddress(address);
  if (!parsed.ok || !('url' in parsed.value)) throw new Error('no address');
  const clock = { ...systemClock, sleep: async () => await Promise.resolve() };
  const writer = registryWriter(parsed.value, { clock, token: () => secret(token), fetch });
  if (!writer.ok) throw writer.error;
  return writer.value;
}

it('publishes and yanks versions with any characters', async () => {
  const { answer, catalogue } = modregRegistry();
  asked.next(answer);
  const writer = writerAt(`${HOST}/v1/`, tokenFor(catalogue));
  const version = '1.0.0-rc.1+b';
  expect(await writer.publish(LIDAR, JSON.stringify({ version }))).toMatchObject({
    kind: 'done',
    json: { version, result: 'published' },
  });
  expect(await writer.yank(LIDAR, version, 'stops')).toMatchObject({ json: { yanked: 'stops' } });
  expect(await writer.yank(LIDAR, version, null)).toMatchObject({ json: { yanked: null } });
  expect(await writer.publish(LIDAR, '{"version":"1"}')).toEqual({
    kind: 'bad-release',
    detail: '/version: "1" is not a version',
    errors: ['/version: "1" is not a version'],
  });
});

it('waits 20 s for the answer to a change, which a front of a cluster needs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const writer = registryWriter(
    { kind: 'modreg', url: new URL('https://registry.example') },
    {
      clock: systemClock,
      limits: { retryWithinMs: 0 },
      fetch: async () => await new Promise<never>(() => undefined),
    },
  );
  if (!writer.ok) throw writer.error;
  const published = writer.value.publish(LIDAR, RELEASE).catch(String);
  await expect.poll(() => vi.getTimerCount()).toBe(2);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await published).toBe(
    'RegistryError: the registry https://registry.example did not begin its response within 20 s',
  );
});

it('says why a registry cannot take a change now', async () => {
  asked.next(problem('unavailable', 503));
  await expect(writerAt(HOST, 's3cret').publish(LIDAR, RELEASE)).rejects.toMatchObject({
    kind: 'registry-busy',
    message: `the registry ${HOST} is busy or failing (503): a\\u{a}b`,
  });
});

describe('[T41] a redirect', () => {
  it.each([301, 307, 308])('with status %i is not followed', async (status) => {
    asked.next(answerStatus(status, { location: '/elsewhere' }));
    await expect(writerAt(HOST, 'x').publish(LIDAR, RELEASE)).rejects.toMatchObject({
      kind: 'bad-redirect',
    });
    expect(asked.requests).toEqual([`${PATH} Bearer x`]);
  });
});

it('repeats a request with the same bytes, three times in all', async () => {
  const bodies: string[] = [];
  asked.next(async (request) => {
    bodies.push(await request.text());
    return Response.error();
  });
  await expect(writerAt(HOST, 'x').publish(LIDAR, RELEASE)).rejects.toMatchObject({
    kind: 'registry-unreachable',
  });
  expect(bodies).toEqual([RELEASE, RELEASE, RELEASE]);
});

it('sends no body to unyank', async () => {
  const types: (string | null)[] = [];
  asked.next((request) => {
    types.push(request.headers.get('content-type'), request.headers.get('content-length'));
    return json({ module_id: 'acme:lidar' })(request);
  });
  await writerAt(HOST, 'x').yank(LIDAR, '1.0.0', null);
  expect(types).toEqual([null, null]);
});

it('a version is one part of the address, whatever it contains', async () => {
  asked.next(json({ module_id: 'acme:lidar' }));
  await writerAt(HOST, 'x').yank(LIDAR, '1.0.0+b/../?#', 'stops');
  expect(asked.requests).toEqual([`${PATH}/1.0.0%2Bb%2F..%2F%3F%23/yank Bearer x`]);
});

describe('the answer to a change', () => {
  const REFUSED = { detail: String.raw`a\u{a}b`, errors: [] };
  it.each<[string, Answer, object]>([
    ['a release that differs', problem('already-published', 409), { kind: 'already-published' }],
    ['an unknown module', problem('unknown-module', 404), { kind: 'unknown-module' }],
    ['an unknown version', problem('unknown-version', 404), { kind: 'unknown-version' }],
    ['a bad file', problem('bad-file', 422), { kind: 'bad-file' }],
    ['a full disk', problem('storage-full', 507), { kind: 'storage-full' }],
    ['a limit of the registry', problem('too-large', 413), { kind: 'too-large' }],
    [
      'a limit of a proxy',
      answerStatus(413),
      { kind: 'too-large', detail: 'the release is too large for the registry' },
    ],
    [
      'errors, of which the first twenty are shown, escaped',
      problem('bad-release', 422, [...Array.from({ length: 20 }, () => 'c\td'), 'e']),
      { kind: 'bad-release', errors: Array.from({ length: 20 }, () => String.raw`c\u{9}d`) },
    ],
  ])('%s', async (_, answer, expected) => {
    asked.next(answer);
    const result = await writerAt(HOST, 'x').publish(LIDAR, RELEASE);
    expect([result, asked.requests.length]).toEqual([{ ...REFUSED, ...expected }, 1]);
  });

  it.each<[string, Answer, string]>([
    ['a problem with another status', problem('already-published', 422), 'got 422'],
    ['a problem of another kind', problem('toString', 409), 'got 409'],
    [
      'a problem without words',
      () =>
        Response.json(
          { type: 'urn:modreg:already-published', detail: 7 },
          { status: 409, headers: PROBLEM },
        ),
      'got 409',
    ],
    ['no problem', answerStatus(404), 'got 404'],
    ['another module', json({ module_id: 'acme:arm' }), 'its answer is not about acme:lidar'],
    ['a list', json([]), 'its answer is not about acme:lidar'],
  ])('that no registry gives: %s', async (_, answer, found) => {
    asked.next(answer);
    await expect(writerAt(HOST, 's3cret').publish(LIDAR, RELEASE)).rejects.toMatchObject({
      kind: 'not-a-registry',
      message: `the registry ${HOST} does not respond like a registry: ${found}`,
    });
  });
});

describe('an upload with the fetch of commands (D478)', () => {
  const fetch = networkFetch({});
  // On real sockets: a file is sent as a stream, which breaks off in the middle.
  const file = { sha256: 'ab'.repeat(32), size: 3 };
  const FILE = `/v1/artifacts/sha256/${file.sha256}`;
  const UPLOAD = `/v1/modules/acme/lidar/artifacts/sha256/${file.sha256}`;
  it.each<[string, number, readonly string[]]>([
    ['is sent if the registry does not have the file', 404, [FILE, UPLOAD]],
    ['is not sent if it has the file', 304, [FILE]],
    ['is sent if it has lost the file', 500, [FILE, FILE, FILE, UPLOAD]],
  ])('%s', async (_, status, expected) => {
    let closed = 0;
    const { address, requests } = await plainServer((response, request) => {
      if (request.method === 'GET') return void response.writeHead(status).end();
      request.resume().on('end', () => send(response, { module_id: 'acme:lidar' }));
    });
    asked.letThrough(address);
    const open = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield await Promise.resolve(Buffer.from('abc'));
      } finally {
        closed++;
      }
    };
    expect(await writerAt(address, 'x', fetch).upload(LIDAR, { ...file, open })).toMatchObject({
      kind: 'done',
    });
    expect(requests).toEqual(expected.map((path) => `${path} Bearer x`));
    expect(closed).toBe(expected.includes(UPLOAD) ? 1 : 0);
  });

  it.each<[string, (response: ServerResponse) => void, string, number]>([
    ['breaks off', (response) => response.destroy(), 'registry-unreachable', 3],
    ['refuses a part', (response) => response.writeHead(403).end(), 'registry-refused', 1],
  ])('closes the file each time that the registry %s', async (_, answer, kind, times) => {
    const { address } = await plainServer((response, request) => {
      if (request.method === 'GET') response.writeHead(404).end();
      else request.once('data', () => answer(response));
    });
    asked.letThrough(address);
    const story: string[] = [];
    const open = async function* (): AsyncGenerator<Uint8Array> {
      story.push('opened');
      try {
        for (;;) yield await Promise.resolve(Buffer.alloc(1024));
      } finally {
        story.push('closed');
      }
    };
    const large = { ...file, size: 1024 ** 3, open };
    await expect(writerAt(address, 'x', fetch).upload(LIDAR, large)).rejects.toMatchObject({
      kind,
    });
    await expect
      .poll(() => story)
      .toEqual(Array.from({ length: times }, () => ['opened', 'closed']).flat());
  });

  it.each([
    ['has less', ['ab']],
    ['has more', ['ab', 'cd']],
  ])('fails if the file %s bytes than were announced', async (_, chunks) => {
    const { address } = await plainServer((response, request) => {
      if (request.method === 'GET') response.writeHead(404).end();
      else request.resume().on('end', () => send(response, { module_id: 'acme:lidar' }));
    });
    asked.letThrough(address);
    const open = async function* (): AsyncGenerator<Uint8Array> {
      for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
    };
    await expect(
      writerAt(address, 'x', fetch).upload(LIDAR, { ...file, open }),
    ).rejects.toMatchObject({
      kind: 'registry-unreachable',
      message: expect.stringContaining('CONTENT_LENGTH_MISMATCH'),
    });
  });

  it('is not sent if the registry denies access', async () => {
    asked.next(answerStatus(401));
    const unread = { ...file, open: unopened };
    await expect(writerAt(HOST, 'x').upload(LIDAR, unread)).rejects.toMatchObject({
      kind: 'registry-refused',
    });
    expect(asked.requests).toHaveLength(1);
  });
});

it.each([
  ['http://10.0.0.7', 'is reached by plain http:, and others could read the token', 'use https:'],
  ['npm:https://h', 'modreg cannot publish to npm registries', 'publish with the tools'],
  ['oci:https://h', 'modreg cannot publish to OCI registries', 'publish with the tools'],
  ['https://h/?a', 'has a query or a fragment', 'remove it'],
  ['https://h/#a', 'has a query or a fragment', 'remove it'],
])('%s cannot be changed', (address, message, hint) => {
  const parsed = parseRegistryAddress(address);
  if (!parsed.ok || !('url' in parsed.value)) throw new Error('no address');
  const writer = registryWriter(parsed.value, { clock: systemClock });
  if (writer.ok) throw new Error('a writer');
  expect(writer.error.kind).toBe('bad-address');
  expect(writer.error.message).toContain(message);
  expect(writer.error.hint).toContain(hint);
});
