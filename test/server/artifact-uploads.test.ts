import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmdirSync, utimesSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { artifactFolder, incomingFolder } from '../../src/server/artifacts/artifact-store.ts';
import { SERVER_LIMITS } from '../../src/server/limits/limits.ts';
import {
  BYTES,
  FILE,
  HEX,
  Hosting,
  hosting,
  MODULE,
  sha256Of,
  UPLOAD,
} from '../support/hosting.ts';
import { tokenFor } from '../support/token.ts';

async function rest(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

describe('an upload', () => {
  it('is stored once, listed by releases of any module, and served', async () => {
    const registry = await hosting();
    const first = await registry.put(UPLOAD, BYTES);
    expect([first.status, JSON.parse(first.text)]).toEqual([
      201,
      {
        module_id: 'acme:lidar',
        url: `../../artifacts/sha256/${HEX}`,
        digest: `sha256:${HEX}`,
        size: 10,
        result: 'uploaded',
      },
    ]);
    const again = await registry.put(UPLOAD, BYTES);
    expect([again.status, JSON.parse(again.text).result]).toEqual([200, 'unchanged']);
    expect(registry.files()).toEqual(['incoming/HEX']);
    for (const version of ['1.0.0', '1.0.1']) await registry.publish(version);
    expect(registry.files()).toEqual(['sha256/HEX']);
    expect((await registry.ask(FILE)).text).toBe('0123456789');
    const [uploaded] = registry.events;
    expect(uploaded).toEqual({
      kind: 'uploaded',
      moduleId: 'acme:lidar',
      digest: `sha256:${HEX}`,
      size: 10,
      tokenId: 't1',
      peer: '127.0.0.1',
    });
    expect(registry.events.map(({ kind }) => kind)).toEqual(['uploaded', 'published', 'published']);
  });

  it('of 20 MB has the bytes that were sent, in packets of any size', async () => {
    const registry = await hosting();
    const bytes = randomBytes(20_000_000);
    const hex = sha256Of(bytes);
    const path = `${MODULE}/artifacts/sha256/${hex}`;
    expect((await registry.put(path, bytes)).status).toBe(201);
    const downloaded = await fetch(`${registry.address}/v1/artifacts/sha256/${hex}`);
    expect(sha256Of(Buffer.from(await downloaded.arrayBuffer()))).toBe(hex);
  });

  it.each<[string, string, Buffer, number, string]>([
    ['other bytes', UPLOAD, Buffer.from('012345678x'), 422, 'bad-file'],
    [
      'a digest in upper case',
      UPLOAD.toUpperCase().replace(
        '/V1/MODULES/ACME/LIDAR/ARTIFACTS/SHA256',
        `${MODULE}/artifacts/sha256`,
      ),
      BYTES,
      400,
      'bad-request',
    ],
    ['a digest that is too short', UPLOAD.slice(0, -1), BYTES, 400, 'bad-request'],
    [
      'an encoded path',
      `${MODULE}/artifacts/sha256/..%2F..%2Fregistry.db`,
      BYTES,
      400,
      'bad-request',
    ],
    ['a path of dots', `${MODULE}/artifacts/sha256/%2e%2e%2f%2e%2e%2fx`, BYTES, 400, 'bad-request'],
    ['another namespace', UPLOAD.replace('acme', 'other'), BYTES, 403, 'missing-scope'],
    ['no module id', UPLOAD.replace('acme', 'a..b'), BYTES, 400, 'bad-request'],
  ])('[T87] with %s is refused', async (_title, path, bytes, ...expected) => {
    const registry = await hosting();
    const { status, problem } = await registry.put(path, Buffer.from(bytes));
    expect([status, problem]).toEqual(expected);
    expect(registry.files()).toEqual([]);
    expect((await registry.put(UPLOAD, BYTES, 'modreg_x')).status).toBe(401);
    expect(registry.files()).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    [
      'in chunks',
      'Transfer-Encoding: chunked',
      'a\r\n0123456789\r\n0\r\n\r\n',
      '411 Length Required',
    ],
    ['without a length', 'X: y', '', '411 Length Required'],
    ['of more than 1 GiB', 'Content-Length: 1073741825', '', '413 Payload Too Large'],
    ['of 10^30 bytes', `Content-Length: 1${'0'.repeat(30)}`, '', '400 Bad Request'],
    ['with more bytes than announced', 'Content-Length: 9', '0123456789', '400 Bad Request'],
  ])('[T87] %s is refused', async (_title, head, body, status) => {
    const registry = await hosting();
    const socket = registry.client(`Connection: close\r\n${head}`, body);
    expect(await rest(socket)).toContain(`HTTP/1.1 ${status}\r\n`);
    expect(registry.files()).toEqual([]);
  });

  it('[T87] that is aborted leaves nothing', async () => {
    const registry = await hosting();
    const socket = registry.client('Content-Length: 10', '01234');
    await expect.poll(() => registry.files()).toHaveLength(1);
    expect(registry.files()[0]).toMatch(/^incoming\/HEX\.\d+-\d+\.part$/);
    socket.destroy();
    await expect.poll(() => registry.files()).toEqual([]);
    expect(registry.events).toEqual([]);
  });

  describe('with a clock', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
    afterEach(() => void vi.useRealTimers());

    it('[T87] may take any time while its bytes come, and ends when they do not', async () => {
      const registry = await hosting({ bodyBytes: 1 });
      const socket = registry.client('Content-Length: 10');
      const answer = rest(socket);
      for (const [count, byte] of BYTES.subarray(0, 9).entries()) {
        await expect.poll(() => registry.received()).toBe(count);
        socket.write(Buffer.of(byte));
        await expect.poll(() => registry.received()).toBe(count + 1);
        vi.advanceTimersByTime(SERVER_LIMITS.request);
      }
      vi.advanceTimersByTime(SERVER_LIMITS.request);
      expect(await answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
      await expect.poll(() => registry.files()).toEqual([]);
      expect(registry.events).toEqual([
        { kind: 'overload', limit: 'slow-requests', count: 1, peer: '127.0.0.1' },
      ]);
    });
  });

  it('[T87] is refused while there are too many', async () => {
    const registry = await hosting({ uploads: 3, uploadsPerToken: 2 });
    const other = tokenFor(registry.catalogue, ['publish'], 'other');
    const clients: Socket[] = [];
    for (const count of [1, 2]) {
      clients.push(registry.client('Content-Length: 10', '01234'));
      await expect.poll(() => registry.files()).toHaveLength(count);
    }
    const own = await registry.put(UPLOAD, BYTES);
    expect([own.status, own.problem, own.headers.get('retry-after')]).toEqual([
      429,
      'too-many-requests',
      '5',
    ]);
    clients.push(registry.client('Content-Length: 10', '01234', other));
    await expect.poll(() => registry.files()).toHaveLength(3);
    const third = tokenFor(registry.catalogue, ['publish'], 'third');
    const busy = await registry.put(UPLOAD, BYTES, third);
    expect([busy.status, busy.problem, busy.headers.get('retry-after')]).toEqual([
      503,
      'too-many-uploads',
      '5',
    ]);
    expect(registry.events).toMatchObject([
      { kind: 'overload', limit: 'uploads-per-token', count: 1 },
      { kind: 'overload', limit: 'uploads', count: 1 },
    ]);
    // Once one has ended, there is room for another.
    for (const socket of clients) socket.destroy();
    await expect.poll(async () => (await registry.put(UPLOAD, BYTES)).status).toBe(201);
  });

  it('[T87] may have as many bytes as the limit, and no more', async () => {
    const registry = await hosting({ artifactBytes: 10 });
    expect((await registry.put(UPLOAD, BYTES)).status).toBe(201);
    const more = await registry.put(UPLOAD, Buffer.from('0123456789x'));
    expect([more.status, JSON.parse(more.text).detail]).toEqual([
      413,
      'a file may have at most 10 bytes',
    ]);
  });

  it('[T89] that was abandoned is removed when the server starts, which serves even if it cannot', async () => {
    const registry = new Hosting();
    const incoming = incomingFolder(registry.catalogue.path);
    writeFileSync(`${incoming}/${HEX}`, BYTES);
    utimesSync(`${incoming}/${HEX}`, 0, 0);
    await registry.serve();
    expect([registry.files(), registry.events]).toEqual([[], []]);
    rmdirSync(incoming);
    writeFileSync(incoming, '');
    await registry.serve();
    expect(registry.events).toMatchObject([{ kind: 'failed', error: { kind: 'unwritable' } }]);
    expect((await registry.ask('/healthz')).status).toBe(200);
  });

  it('[T87] of 100 at once is stored by those that are not refused', async () => {
    const registry = await hosting();
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => await registry.put(UPLOAD, BYTES)),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 201, 429].includes(status))).toEqual([]);
    expect(statuses.has(201)).toBe(true);
    expect(registry.files()).toEqual(['incoming/HEX']);
  });

  it('[T87] [T103] is refused when it would fill the disk', async () => {
    const registry = await hosting({ freeDisk: Number.MAX_SAFE_INTEGER });
    const { status, problem, text } = await registry.put(UPLOAD, BYTES);
    expect([status, problem]).toEqual([507, 'storage-full']);
    expect(text).not.toContain(registry.catalogue.path);
    expect(registry.files()).toEqual([]);
    const refused = { method: 'PUT', path: UPLOAD, status: 507, tokenId: 't1', peer: '127.0.0.1' };
    expect(registry.events).toMatchObject([
      { kind: 'refused', reason: undefined, ...refused },
      { kind: 'failed', error: { kind: 'unwritable' } },
    ]);
  });

  it('[T87] is refused if the folder cannot be created', async () => {
    const registry = await hosting();
    writeFileSync(artifactFolder(registry.catalogue.path), '');
    expect((await registry.put(UPLOAD, BYTES)).status).toBe(507);
    expect((await registry.ask(MODULE)).status).toBe(404);
  });

  it('cannot be listed with another size or digest, or if the registry does not have it', async () => {
    const registry = await hosting();
    const listed = async (fields: object): Promise<unknown[]> => {
      const { status, text } = await registry.publish('1.0.0', fields);
      return [status, JSON.parse(text).detail];
    };
    const missing =
      '/artifacts: acme:lidar 1.0.0 has a file that the registry does not host: upload it first';
    const wrong =
      '/artifacts/0: a file that the registry hosts needs a size, and the digest that its address has';
    expect(await listed({})).toEqual([422, missing]);
    await registry.put(UPLOAD, BYTES);
    expect(await listed({ size: 9 })).toEqual([422, missing]);
    expect(await listed({ size: undefined })).toEqual([422, wrong]);
    expect(await listed({ digest: `sha256:${'ab'.repeat(32)}` })).toEqual([422, wrong]);
    expect((await registry.ask(MODULE)).status).toBe(404);
  });
});
