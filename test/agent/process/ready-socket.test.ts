import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readinessProbe, type ReadinessProbe } from '../../../src/agent/process/readiness.ts';
import { readySocket } from '../../../src/agent/process/ready-socket.ts';
import { systemClock } from '../../../src/registries/index.ts';
import { temporaryFolder } from '../../support/folder.ts';

function set(value: string | undefined): void {
  if (value === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = value;
}

/** The folder of temporary files until the end of the test, as an operator may choose it. */
function choose(folder: string | undefined): void {
  const { TMPDIR } = process.env;
  onTestFinished(() => set(TMPDIR));
  set(folder);
}

function pathIn(home: string, isRoot: boolean): string {
  const socket = readySocket({ home, runAs: undefined, isRoot });
  if (!socket.ok) return socket.error;
  onTestFinished(socket.value.close);
  expect(existsSync(dirname(socket.value.path))).toBe(true);
  return socket.value.path.replace(/[^/]{6}\/module.sock$/, 'XXXXXX/module.sock');
}

describe('[T350] the socket of a module', () => {
  it('is below the home, and what a killed agent left there is removed', () => {
    choose(undefined);
    const home = temporaryFolder();
    mkdirSync(`${home}/sockets/left`, { recursive: true });
    expect(pathIn(home, false)).toBe(`${home}/sockets/XXXXXX/module.sock`);
    expect(pathIn(home, false)).toBe(`${home}/sockets/XXXXXX/module.sock`);
    expect(readdirSync(`${home}/sockets`)).toHaveLength(2);
    expect(statSync(`${home}/sockets`).mode & 0o777).toBe(0o711);
  });

  it('is in /tmp if the path of the home is too long for a socket', () => {
    choose(undefined);
    const home = `${temporaryFolder()}/${'x'.repeat(80)}`;
    mkdirSync(home);
    expect(pathIn(home, false)).toBe('/tmp/modreg-XXXXXX/module.sock');
  });

  it('is where TMPDIR says', () => {
    const folder = temporaryFolder();
    choose(folder);
    expect(pathIn('/nonexistent', false)).toBe(`${folder}/modreg-XXXXXX/module.sock`);
  });

  it.each([
    ['/nowhere/tmp', '/nowhere/tmp (ENOENT)'],
    [`/${'x'.repeat(90)}`, `/${'x'.repeat(90)} (the path of the socket is longer than 107 bytes)`],
  ])('cannot be where TMPDIR is %s', (folder, what) => {
    choose(folder);
    expect(pathIn('/nonexistent', true)).toBe(
      `no folder for its socket can be created in ${what}; create it, or start the agent with TMPDIR set to another one`,
    );
  });
});

function probe(home: string): ReadinessProbe {
  const terms = { clock: systemClock, home, runAs: undefined, staysUpMs: 1000 };
  const made = readinessProbe({ kind: 'socket' }, terms);
  onTestFinished(made.close);
  return made;
}

describe('[T350] a module whose socket is removed', () => {
  it('works while it listens, and fails once it does not', async () => {
    const { environment, failure } = probe(temporaryFolder());
    const { PLATFORM_MODULE_SOCKET: path = '' } = environment;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    rmSync(dirname(path), { recursive: true });
    expect(await failure?.()).toBeUndefined();
    await new Promise((resolve) => server.close(resolve));
    expect(await failure?.()).toBe('it did not open its socket (PLATFORM_MODULE_SOCKET)');
  });

  it('cannot be started without a folder for it, because of the machine', async () => {
    choose('/nowhere/tmp');
    expect(await probe('/nonexistent').obstacle()).toBe(
      'no folder for its socket can be created in /nowhere/tmp (ENOENT); create it, or start the agent with TMPDIR set to another one',
    );
  });
});
