import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { artifactFolder, artifactPath } from '../../src/server/artifacts/artifact-store.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import {
  BYTES,
  FILE,
  HEX,
  hosting,
  MODULE,
  publishing,
  publishingOnce,
  sha256Of,
  UPLOAD,
} from './support/hosting.ts';
import { sql } from '../support/backups.ts';
import { openFiles } from '../support/open-files.ts';

const UNKNOWN = 'unknown-file: no release lists this file, and it was not uploaded';
const NO_DIGEST = 'bad-request: expected 64 lower-case digits of sha256';
const NO_ADDRESS = 'unknown-address: GET /v1/openapi.json lists the addresses';

setFlagsFromString('--expose-gc');
// Only a new context has it, because the flag is set while the program runs.
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes of a file: more than the kernel buffers for a connection, and two slices. */
const LARGE = 16_000_000;

describe('a download', () => {
  const published = publishingOnce();

  it('has headers that let no browser run it and any cache keep it', async () => {
    const registry = published();
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await registry.ask(FILE, { method });
      expect([status, text]).toEqual([200, method === 'GET' ? '0123456789' : '']);
      expect(Object.fromEntries(headers)).toMatchObject({
        'accept-ranges': 'bytes',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-disposition': 'attachment',
        'content-length': '10',
        'content-type': 'application/octet-stream',
        etag: `"${HEX}"`,
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('[T320] is not kept back by a row of another release that is damaged', async () => {
    const registry = await publishing();
    expect((await registry.publish('1.0.1')).status).toBe(201);
    const { path } = registry.catalogue;
    sql(path, 'UPDATE releases SET content = substr(content, 1, 150) WHERE id = 1');
    expect((await registry.ask(FILE)).text).toBe('0123456789');
    expect(registry.catalogue.listedArtifacts().get(HEX)).toBe(10);
  });

  it.each<[string, Record<string, string>, number, string, string | null]>([
    ['from the start', { range: 'bytes=0-3' }, 206, '0123', 'bytes 0-3/10'],
    ['one byte', { range: 'bytes=9-9' }, 206, '9', 'bytes 9-9/10'],
    ['to the end', { range: 'bytes=7-' }, 206, '789', 'bytes 7-9/10'],
    ['beyond the end', { range: 'bytes=7-99' }, 206, '789', 'bytes 7-9/10'],
    ['the last bytes', { range: 'bytes=-2' }, 206, '89', 'bytes 8-9/10'],
    ['more last bytes than there are', { range: 'bytes=-99' }, 206, '0123456789', 'bytes 0-9/10'],
    ['no last bytes', { range: 'bytes=-0' }, 416, '', 'bytes */10'],
    ['after the end', { range: 'bytes=10-' }, 416, '', 'bytes */10'],
    ['a huge number', { range: `bytes=${'9'.repeat(400)}-` }, 416, '', 'bytes */10'],
    ['to a huge number', { range: `bytes=8-${'9'.repeat(400)}` }, 206, '89', 'bytes 8-9/10'],
    ['backwards', { range: 'bytes=5-3' }, 200, '0123456789', null],
    ['nothing', { range: 'bytes=-' }, 200, '0123456789', null],
    ['a sign', { range: 'bytes=--2' }, 200, '0123456789', null],
    ['in upper case', { range: 'BYTES=0-3' }, 206, '0123', 'bytes 0-3/10'],
    ['another unit', { range: 'lines=0-3' }, 200, '0123456789', null],
    ['1,000 ranges', { range: `bytes=${'0-0,'.repeat(1000)}1-1` }, 200, '0123456789', null],
    [
      'if it is the same',
      { range: 'bytes=0-3', 'if-range': `"${HEX}"` },
      206,
      '0123',
      'bytes 0-3/10',
    ],
    ['if it is another', { range: 'bytes=0-3', 'if-range': '"x"' }, 200, '0123456789', null],
    [
      'if it is weakly the same',
      { range: 'bytes=0-3', 'if-range': `W/"${HEX}"` },
      200,
      '0123456789',
      null,
    ],
    [
      'if it is older',
      { range: 'bytes=0-3', 'if-range': 'Sun, 22 Nov 2026 00:00:00 GMT' },
      200,
      '0123456789',
      null,
    ],
    ['if it is unknown', { 'if-none-match': `"${HEX}"`, range: 'bytes=0-3' }, 304, '', null],
  ])('[T88] of a range: %s', async (_title, headers, ...expected) => {
    const answer = await published().ask(FILE, { headers });
    const text = answer.problem === undefined ? answer.text : '';
    expect([answer.status, text, answer.headers.get('content-range')]).toEqual(expected);
    const detail = answer.status === 416 ? JSON.parse(answer.text).detail : undefined;
    expect(detail).toBe(answer.status === 416 ? 'the file has 10 bytes' : undefined);
    expect(answer.headers.get('etag')).toBe(answer.status === 416 ? null : `"${HEX}"`);
  });

  it.each<[string, string, number, string]>([
    ['of an unknown file', FILE.replace(HEX, 'ab'.repeat(32)), 404, UNKNOWN],
    ['in upper case', FILE.replace(HEX, HEX.toUpperCase()), 400, NO_DIGEST],
    ['with an encoded path', '/v1/artifacts/sha256/..%2F..%2F..%2Fregistry.db', 400, NO_DIGEST],
    ['with dots', '/v1/artifacts/sha256/..', 404, NO_ADDRESS],
    ['of sha512', FILE.replace('sha256', 'sha512'), 404, NO_ADDRESS],
  ])('[T88] %s is refused', async (_title, path, ...expected) => {
    const { status, problem, text } = await published().ask(path);
    expect([status, `${problem}: ${JSON.parse(text).detail}`]).toEqual(expected);
  });

  it('allows no other method', async () => {
    const { status, headers } = await published().ask(FILE, { method: 'DELETE' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });

  it.each<[string, (file: string) => void, string]>([
    ['is missing', (file) => rmSync(file), 'is missing'],
    ['is truncated', (file) => truncateSync(file, 5), 'has 5 bytes, expected 10'],
    ['is longer', (file) => writeFileSync(file, '0123456789x'), 'has 11 bytes, expected 10'],
    [
      'is a link',
      (file) => {
        rmSync(file);
        symlinkSync('/etc/passwd', file);
      },
      'is missing',
    ],
  ])(
    '[T86] of a listed file that %s is a problem, until it is uploaded again',
    async (_title, lose, found) => {
      const registry = await publishing();
      const file = artifactPath(registry.catalogue.path, HEX);
      lose(file);
      for (const method of ['GET', 'GET']) {
        const { status, problem, text } = await registry.ask(FILE, { method });
        expect([status, problem, JSON.parse(text).detail]).toEqual([
          500,
          'lost-file',
          'upload it again; machines can use their other releases',
        ]);
      }
      const failed = registry.events.filter(({ kind }) => kind === 'failed');
      const message = `the file sha256:${HEX}, which a release lists, ${found}`;
      expect(failed).toMatchObject([{ error: { message } }]);
      expect((await registry.put(UPLOAD, BYTES)).status).toBe(201);
      expect((await registry.ask(FILE)).text).toBe('0123456789');
      expect(readFileSync(file, 'utf8')).toBe('0123456789');
      // A second loss is logged again.
      lose(file);
      expect((await registry.ask(FILE)).problem).toBe('lost-file');
      expect(registry.events.filter(({ kind }) => kind === 'failed')).toHaveLength(2);
    },
  );

  it.each<[string, (file: string) => void]>([
    ['truncated', (file) => truncateSync(file, LARGE - 4_000_000)],
    ['longer', (file) => appendFileSync(file, 'x')],
    ['removed', (file) => rmSync(file)],
  ])('[T86] of a file that is %s meanwhile ends without its last bytes', async (_, change) => {
    const registry = await hosting();
    const bytes = randomBytes(LARGE);
    const hex = sha256Of(bytes);
    await registry.put(`${MODULE}/artifacts/sha256/${hex}`, bytes);
    const response = await fetch(`${registry.address}/v1/artifacts/sha256/${hex}`);
    const reader = response.body?.getReader();
    await reader?.read();
    change(`${artifactFolder(registry.catalogue.path)}/incoming/${hex}`);
    await expect(
      (async () => {
        while ((await reader?.read())?.done === false);
      })(),
    ).rejects.toThrow('terminated');
    expect(registry.events.at(-1)).toMatchObject({ kind: 'failed' });
  });

  it('that its client ends is no error of the registry', async () => {
    const registry = await publishing();
    const { port } = new URL(registry.address);
    for (let client = 0; client < 20; client++) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(`GET ${FILE} HTTP/1.1\r\nHost: x\r\n\r\n`, () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    expect((await registry.ask(FILE)).text).toBe('0123456789');
    expect(registry.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  });

  it('[T88] by clients that do not read keeps no file open, and three slices for each', async () => {
    const registry = await hosting();
    const bytes = randomBytes(LARGE);
    const hex = sha256Of(bytes);
    await registry.put(`${MODULE}/artifacts/sha256/${hex}`, bytes);
    // Buffers of tests before this one count until they are collected.
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const { port } = new URL(registry.address);
    const clients = Array.from({ length: 50 }, () => {
      const socket = connect(Number(port), '127.0.0.1').pause();
      socket.write(`GET /v1/artifacts/sha256/${hex} HTTP/1.1\r\nHost: x\r\n\r\n`);
      onTestFinished(() => void socket.destroy());
      return socket;
    });
    const sent = (): string[] => openFiles().filter((path) => path.endsWith(hex));
    for (let round = 0; round < 20; round++) await registry.ask('/v1/modules');
    expect(clients.every(({ destroyed }) => !destroyed)).toBe(true);
    await expect.poll(sent).toEqual([]);
    // What one collection finds is counted as free a moment later.
    const kept = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers - before;
    };
    await expect.poll(kept).toBeLessThan(50 * 4 * SERVER_LIMITS.fileSlice);
  });
});
