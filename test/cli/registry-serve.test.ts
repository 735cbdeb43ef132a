import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { newFile, registry } from '../support/registry-process.ts';

/** A server in a separate process, its address and its log. */
async function serve(
  db: string,
  ...options: readonly string[]
): Promise<{ child: ChildProcess; address: string; log: () => string }> {
  const args = ['registry', 'serve', '--db', db, '--port', '0', ...options];
  const env = { PATH: process.env['PATH'] };
  const child = spawn(`${ROOT}bin/modreg`, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, address: line.replace('listening on ', ''), log: () => log };
}

describe('modreg registry serve', () => {
  it('serves releases that other commands publish, and logs what it does', async () => {
    const db = newFile();
    const { child, address, log } = await serve(db);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const token = registry(db, 'token', 'create').stdout.trim();
    const waiting = fetch(`${address}/v1/changes?wait=30`);
    registry(db, 'publish', 'acme:lidar', '1.0.0');
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
    expect(registry(db, 'list').stdout).toBe('acme:lidar  2 releases\n');
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
    const lines = log().trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('note: '))).toHaveLength(2);
    expect(
      lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { level: 30, msg: 'published', module_id: 'acme:lidar', version: '1.0.1' },
      { level: 30, msg: 'stopping', signal: 'SIGTERM' },
    ]);
    expect(log()).not.toContain(token);
    expect(readFileSync(db).includes(token)).toBe(false);
  });

  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)(
    'ends on %s with exit code %i, and answers waiting requests',
    async (signal, code) => {
      const { child, address } = await serve(newFile(), '--spread', '0', '--json');
      const { address: served } = JSON.parse(address) as { address: string };
      const waiting = fetch(`${served}/v1/changes?wait=60`);
      // Once a later request is answered, the first one is waiting in the server.
      await fetch(`${served}/v1/modules`);
      const start = performance.now();
      child.kill(signal);
      expect(await (await waiting).json()).toMatchObject({
        sequence: 0,
        modules: [],
        spread_ms: 0,
      });
      expect((await once(child, 'close'))[0]).toBe(code);
      expect(performance.now() - start).toBeLessThan(1000);
    },
  );

  it('refuses a port that is in use', async () => {
    const { address } = await serve(newFile());
    const { port } = new URL(address);
    expect(registry(newFile(), 'serve', '--port', port)).toEqual({
      stdout: '',
      stderr: `error[USAGE]: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)\nhint: --port 0 selects a free port\n`,
      exit: 2,
    });
  });
});
