import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boundedLog } from '../../src/cli/base/bounded-log.ts';
import { createdToken, newFile, registry } from './support/registry-command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { servedHere } from '../support/served-here.ts';
import { serve } from '../support/served-process.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('modreg registry serve', () => {
  it('serves releases that other commands publish, and logs what it does', async () => {
    const db = newFile();
    const { address, log, end } = await servedHere(db);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const token = await createdToken(db, 'publish');
    const waiting = fetch(`${address}/v1/changes?wait=30`);
    await registry(db, 'publish', 'acme:lidar', '1.0.0');
    expect(await (await waiting).json()).toEqual({
      history: expect.any(String),
      sequence: 1,
      modules: ['acme:lidar'],
      spread_ms: 1000,
    });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const releases = `${address}/v1/modules/acme/lidar/releases`;
    const published = await fetch(releases, {
      method: 'POST',
      headers,
      body: '{"version":"1.0.1"}',
    });
    expect(published.status).toBe(201);
    const yank = `${releases}/1.0.1/yank?token=${token}`;
    expect((await fetch(yank, { method: 'PUT', headers })).status).toBe(403);
    expect((await fetch(yank, { method: 'PUT' })).status).toBe(401);
    expect((await registry(db, 'list')).stdout).toBe('acme:lidar  2 releases\n');
    expect(await end()).toBe(0);
    const path = '/v1/modules/acme/lidar/releases/1.0.1/yank';
    const refused = { method: 'PUT', path, peer: '127.0.0.1' };
    const lines = log().trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('note: '))).toHaveLength(3);
    expect(
      lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      {
        level: 'info',
        event: 'published',
        module_id: 'acme:lidar',
        version: '1.0.1',
        token: 't1',
        peer: '127.0.0.1',
      },
      {
        level: 'warn',
        event: 'refused',
        reason: 'missing-scope',
        status: 403,
        token: 't1',
        ...refused,
      },
      { level: 'warn', event: 'refused', reason: 'no-token', status: 401, ...refused },
      { level: 'info', event: 'stopping', signal: 'SIGTERM' },
    ]);
    expect(log()).not.toContain(token);
    expect(readFileSync(db).includes(token)).toBe(false);
  });

  it('says that it created an empty file, and not again', async () => {
    const db = `${temporaryFolder()}/registry.db`;
    const notes = async (): Promise<string[]> => {
      const { log, end } = await servedHere(db, '--create');
      await end();
      return log()
        .split('\n')
        .filter((line) => line.includes('created'));
    };
    expect(await notes()).toEqual([`note: created "${db}", which is empty`]);
    expect(await notes()).toEqual([]);
  });

  it('wraps its notes to the width of the terminal', async () => {
    const db = `${temporaryFolder()}/registry.db`;
    // The server ends because its metrics have the port already.
    const port = `${await freePort()}`;
    const place = ['--port', port, '--metrics', `127.0.0.1:${port}`];
    const args = ['registry', 'serve', '--create', '--db', db, ...place];
    const { stderr, exit } = await inProcess(args, { COLUMNS: `${db.length + 20}` });
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      `note: created "${db}",`,
      '    which is empty',
    ]);
    expect(exit).toBe(2);
  });

  it.each([
    // A real signal ends a process in the next test.
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)(
    'ends on %s with exit code %i, and answers waiting requests',
    async (signal, code) => {
      const { end, address } = await servedHere(newFile(), '--spread', '0', '--json');
      const { address: served } = JSON.parse(address) as { address: string };
      // The longest wait, which a test does not outlast.
      const waiting = fetch(`${served}/v1/changes?wait=60`);
      // Once a later request is answered, the first one is waiting in the server.
      await fetch(`${served}/v1/modules`);
      const ended = end(signal);
      expect(await (await waiting).json()).toMatchObject({
        sequence: 0,
        modules: [],
        spread_ms: 0,
      });
      expect(await ended).toBe(code);
    },
  );

  it('waits only briefly for another process that writes, since it answers nobody meanwhile', async () => {
    const db = newFile();
    const { address } = await servedHere(db);
    const headers = {
      authorization: `Bearer ${await createdToken(db, 'publish')}`,
      'content-type': 'application/json',
    };
    const publish = async (): Promise<unknown[]> => {
      const request = { method: 'POST', headers, body: '{"version":"1.0.0"}' };
      const response = await fetch(`${address}/v1/modules/acme/lidar/releases`, request);
      await response.text();
      return [response.status, response.headers.get('retry-after')];
    };
    const holder = new DatabaseSync(db);
    onTestFinished(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const began = performance.now();
    expect(await publish()).toEqual([503, '1']);
    // Other commands wait for five seconds.
    expect(performance.now() - began).toBeLessThan(4000);
    holder.exec('ROLLBACK');
    expect(await publish()).toEqual([201, null]);
  });

  it('answers and ends on SIGTERM while nobody reads its log', async () => {
    const { child, address } = await serve(newFile());
    child.stderr?.pause();
    const path = '/v1/modules/acme/lidar/releases';
    // The pipe holds about 1,000 lines.
    const refused = { method: 'POST' };
    for (let round = 0; round < 20; round++) {
      const posts = Array.from({ length: 100 }, async () => {
        const { status } = await fetch(`${address}${path}`, refused);
        expect(status).toBe(401);
      });
      await Promise.all(posts);
    }
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.each<[string, (db: string) => void, string, number]>([
    ['removed', (db) => rmSync(db), 'the file was replaced or removed', 2],
    ['renamed over', (db) => renameSync(newFile(), db), 'the file was replaced or removed', 2],
    ['truncated', (db) => truncateSync(db, 4096), 'the file was truncated, from ', 70],
  ])('ends when its file is %s', async (_, lose, message, exit) => {
    const db = newFile();
    await registry(db, 'publish', 'acme:lidar', '1.0.0');
    const { ended, log } = await servedHere(db);
    lose(db);
    expect(await ended).toBe(exit);
    expect(log()).toContain(`"${db}": ${message}`);
  });

  it('says how many lines of the log were dropped', () => {
    const lines: string[] = [];
    const reader: (() => void)[] = [];
    const stream = new Writable({
      decodeStrings: false,
      write(text: string, _, next) {
        lines.push(text);
        reader.push(next);
      },
    });
    const log = boundedLog(stream);
    const write = (line: string): void => log(line, (count) => `${count} dropped`);
    const long = 'x'.repeat(1024 * 1024);
    for (const line of [long, 'second', 'third', 'fourth']) write(line);
    reader.shift()?.();
    write('fifth');
    reader.shift()?.();
    write('sixth');
    expect(lines).toEqual([`${long}\n`, '3 dropped\nfifth\n', 'sixth\n']);
  });

  it('refuses a port that is in use', async () => {
    const { address } = await servedHere(newFile());
    const { port } = new URL(address);
    expect(await registry(newFile(), 'serve', '--port', port)).toEqual({
      stdout: '',
      stderr: `error[USAGE]: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)\nhint: --port 0 selects a free port\n`,
      exit: 2,
    });
  });
});
