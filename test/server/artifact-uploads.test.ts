import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmdirSync, utimesSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { incomingFolder } from '../../src/server/artifacts/artifact-store.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { BYTES, FILE, HEX, Hosting, hosting, MODULE, sha256Of, UPLOAD } from './support/hosting.ts';

const NO_DIGEST = 'bad-request: expected 64 lower-case digits of sha256';
const NO_LENGTH = ': send the file with its content-length, and not in chunks';

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

  it('may be empty, like the file that is then served', async () => {
    const registry = await hosting();
    const hex = sha256Of(Buffer.of());
    const file = `/v1/artifacts/sha256/${hex}`;
    expect((await registry.put(UPLOAD.replace(HEX, hex), Buffer.of())).status).toBe(201);
    for (const method of ['GET', 'HEAD']) {
      const { status, text, headers } = await registry.ask(file, { method });
      expect([status, text, headers.get('content-length')]).toEqual([200, '', '0']);
    }
    const part = await registry.ask(file, { headers: { range: 'bytes=0-' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([416, 'bytes */0']);
    expect(registry.events.map(({ kind }) => kind)).toEqual(['uploaded']);
  });

  it.each<[string, string, Buffer, number, string]>([
    [
      'other bytes',
      UPLOAD,
      Buffer.from('012345678x'),
      422,
      `bad-file: got sha256:${sha256Of(Buffer.from('012345678x'))}, expected sha256:${HEX}: not stored`,
    ],
    [
      'a digest in upper case',
      UPLOAD.toUpperCase().replace(
        '/V1/MODULES/ACME/LIDAR/ARTIFACTS/SHA256',
        `${MODULE}/artifacts/sha256`,
      ),
      BYTES,
      400,
      NO_DIGEST,
    ],
    ['a digest that is too short', UPLOAD.slice(0, -1), BYTES, 400, NO_DIGEST],
    ['an encoded path', `${MODULE}/artifacts/sha256/..%2F..%2Fregistry.db`, BYTES, 400, NO_DIGEST],
    ['a path of dots', `${MODULE}/artifacts/sha256/%2e%2e%2f%2e%2e%2fx`, BYTES, 400, NO_DIGEST],
    [
      'another namespace',
      UPLOAD.replace('acme', 'other'),
      BYTES,
      403,
      'missing-scope: the token t1 (ci) does not have the scope publish:other',
    ],
    [
      'no module id',
      UPLOAD.replace('acme', 'a..b'),
      BYTES,
      400,
      'bad-request: "a..b:lidar" is not a module id',
    ],
  ])('[T87] with %s is refused', async (_title, path, bytes, ...expected) => {
    const registry = await hosting();
    const { status, problem, text } = await registry.put(path, Buffer.from(bytes));
    expect([status, `${problem}: ${JSON.parse(text).detail}`]).toEqual(expected);
    expect(registry.files()).toEqual([]);
    expect((await registry.put(UPLOAD, BYTES, 'modreg_x')).status).toBe(401);
    expect(registry.files()).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    [
      'in chunks',
      'Transfer-Encoding: chunked',
      'a\r\n0123456789\r\n0\r\n\r\n',
      `411 Length Required${NO_LENGTH}`,
    ],
    ['without a length', 'X: y', '', `411 Length Required${NO_LENGTH}`],
    [
      'of more than 1 GiB',
      'Content-Length: 1073741825',
      '',
      '413 Payload Too Large: a file may have at most 1073741824 bytes',
    ],
    ['of 10^30 bytes', `Content-Length: 1${'0'.repeat(30)}`, '', '400 Bad Request'],
    ['with more bytes than announced', 'Content-Length: 9', '0123456789', '400 Bad Request'],
  ])('[T87] %s is refused', async (_title, head, body, status) => {
    const registry = await hosting();
    const socket = registry.client(`Connection: close\r\n${head}`, body);
    const answer = await rest(socket);
    const detail = /"detail":"([^"]*)"/.exec(answer)?.[1];
    const line = answer.slice('HTTP/1.1 '.length, answer.indexOf('\r\n'));
    expect(detail === undefined ? line : `${line}: ${detail}`).toBe(status);
    expect(registry.files()).toEqual([]);
  });

  it('[T87] that is aborted leaves nothing', async () => {
    const registry = await hosting();
    const socket = registry.client('Content-Length: 10', '01234');
    await expect.poll(() => registry.files()).toHaveLength(1);
    expect(registry.files()[0]).toMatch(/^incoming\/HEX\.\w+-\d+-\d+\.part$/);
    socket.destroy();
    await expect.poll(() => registry.files()).toEqual([]);
    expect(registry.events).toEqual([]);
  });

  describe('with a clock', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
    afterEach(() => void vi.useRealTimers());

    it('[T89] that was abandoned is removed every hour', async () => {
      const registry = await hosting();
      await registry.put(UPLOAD, BYTES);
      const abandoned = `${incomingFolder(registry.catalogue.path)}/${'ab'.repeat(32)}`;
      writeFileSync(abandoned, BYTES);
      utimesSync(abandoned, 0, 0);
      vi.advanceTimersByTime(3_599_999);
      expect(registry.files()).toHaveLength(2);
      vi.advanceTimersByTime(1);
      expect(registry.files()).toEqual(['incoming/HEX']);
    });

    it('[T87] leaves no timer, however it ends', async () => {
      const registry = await hosting();
      const before = vi.getTimerCount();
      const socket = registry.client('Content-Length: 10', '0123456789');
      await once(socket, 'data');
      expect(vi.getTimerCount()).toBe(before);
      registry.client('Content-Length: 10', '01234').end();
      await expect.poll(() => vi.getTimerCount()).toBe(before);
    });

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
