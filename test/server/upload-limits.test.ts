import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { artifactFolder } from '../../src/server/artifacts/artifact-store.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { BYTES, hosting, MODULE, sha256Of, UPLOAD } from './support/hosting.ts';
import { tokenFor } from '../support/token.ts';

/** Makes the disk have `bytes` free besides what uploads leave. */
function withFreeBytes(bytes: number): void {
  const space = { bavail: BigInt(SERVER_LIMITS.freeDisk + bytes), bsize: 1n };
  vi.spyOn(fs, 'statfsSync').mockReturnValue(space as unknown as fs.StatsFs);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

/** What the server sends until it closes the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}

describe('an upload', () => {
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
    expect(JSON.parse(own.text).detail).toBe('the token has too many uploads');
    clients.push(registry.client('Content-Length: 10', '01234', other));
    await expect.poll(() => registry.files()).toHaveLength(3);
    const third = tokenFor(registry.catalogue, ['publish'], 'third');
    const busy = await registry.put(UPLOAD, BYTES, third);
    expect([busy.status, busy.problem, busy.headers.get('retry-after')]).toEqual([
      503,
      'too-many-uploads',
      '5',
    ]);
    expect(JSON.parse(busy.text).detail).toBe('nothing was changed');
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

  it('[T87] is refused if others that are in progress would fill the disk with it', async () => {
    const registry = await hosting();
    withFreeBytes(19);
    const second = tokenFor(registry.catalogue, ['publish'], 'second');
    const other = registry.client('Content-Length: 10', '01234');
    await expect.poll(() => registry.files()).toHaveLength(1);
    expect((await registry.put(UPLOAD, BYTES, second)).problem).toBe('storage-full');
    other.end('56789');
    await expect.poll(() => registry.files()).toEqual(['incoming/HEX']);
  });

  it('two slow uploads of one token leave slots and half of the disk to others (T289)', async () => {
    const registry = await hosting();
    const other = tokenFor(registry.catalogue, ['publish'], 'other');
    withFreeBytes(40);
    registry.client('Content-Length: 20');
    await expect.poll(() => registry.files()).toHaveLength(1);
    const slow = registry.client('Content-Length: 20\r\nConnection: close');
    expect(await rest(slow)).toContain('urn:modreg:storage-full');
    expect((await registry.put(UPLOAD, BYTES, other)).status).toBe(201);
  });

  it.each([
    ['more than the disk', 41, 507],
    ['the whole disk', 40, 201],
  ])('[T289] of %s, alone', async (_title, size, status) => {
    const registry = await hosting();
    withFreeBytes(40);
    const bytes = Buffer.alloc(size);
    const path = `${MODULE}/artifacts/sha256/${sha256Of(bytes)}`;
    expect((await registry.put(path, bytes)).status).toBe(status);
  });

  it('[T87] is refused if the folder cannot be created', async () => {
    const registry = await hosting();
    writeFileSync(artifactFolder(registry.catalogue.path), '');
    expect((await registry.put(UPLOAD, BYTES)).status).toBe(507);
    expect((await registry.ask(MODULE)).status).toBe(404);
  });
});
