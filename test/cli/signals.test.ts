import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { agentInProcess } from '../support/polling.ts';
import { needs } from '../support/prerequisite.ts';
import { serve } from '../support/served-process.ts';
import { siteOf } from './support/lidar-site.ts';

describe('[T348] SIGHUP, as of a terminal that closes,', () => {
  it('stops the modules as SIGTERM does, and ends the agent', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const agent = agentInProcess(siteOf(address));
      await agent.until('1.0.0 is started');
      const { exit, lines } = await agent.end('SIGHUP');
      expect(exit).toBe(0);
      expect(lines.slice(-3).map((line) => line.replace('TIME ', '').trim())).toEqual([
        'info  got SIGHUP: stopping all modules',
        'info  acme_lidar: 1.0.0 is stopped',
        'info  all modules are stopped',
      ]);
    });
  });

  it('ends a server in order, also if it comes twice, and is no second signal', async () => {
    const { child, address } = await serve(`${temporaryFolder()}/registry.db`, '--create');
    // It says its address before it waits for a signal.
    await fetch(`${address}/v1/modules`);
    const ended = once(child, 'exit');
    child.kill('SIGHUP');
    child.kill('SIGHUP');
    expect(await ended).toEqual([0, null]);
  });
});

it('[T349] SIGUSR1 opens no debugger, and ends nothing', async () => {
  const { child, address, log } = await serve(`${temporaryFolder()}/registry.db`, '--create');
  child.kill('SIGUSR1');
  const { status } = await fetch(`${address}/v1/modules`);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect([status, await ended]).toEqual([200, [0, null]]);
  expect(log()).not.toMatch(/debugger/i);
});

/** The folder of a modreg that has no Node beside it, so that the one in PATH runs it. */
function withoutNode(): string {
  const folder = temporaryFolder();
  cpSync(`${ROOT}bin`, `${folder}/bin`, { recursive: true });
  symlinkSync(`${ROOT}dist`, `${folder}/dist`);
  return folder;
}

it.each([
  ['its own Node', () => ROOT],
  ['the Node in PATH', withoutNode],
])('[T349] SIGUSR1 opens no debugger while modreg starts with %s', async (_title, root) => {
  // Before the script can ignore it, the signal would end a shell.
  const start = 'trap "" USR1; echo go >&2; exec "$@"';
  const serving = ['--db', `${temporaryFolder()}/registry.db`, '--create', '--port', '0'];
  const command = [`${root()}/bin/modreg`, 'registry', 'serve', ...serving];
  const child = spawn('sh', ['-c', start, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [listening, ended] = [once(createInterface(child.stdout), 'line'), once(child, 'exit')];
  await once(child.stderr, 'data');
  const signals = setInterval(() => child.kill('SIGUSR1'), 1);
  const [line] = await Promise.race([listening, ended]);
  clearInterval(signals);
  // It says its address before it waits for a signal.
  await fetch(`${String(line).replace('listening on ', '')}/v1/modules`);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(log).not.toMatch(/debugger/i);
});

it('[T346] an agent that is process 1 says that it takes no exit codes of others', async (context) => {
  const own = ['-rpf', '--kill-child', '--mount-proc'];
  const mayUnshare = spawnSync('unshare', [...own, 'true']).status === 0;
  needs(context, mayUnshare, 'this process may not create a table of processes (unshare -rpf)');
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const folder = siteOf(address);
    const run = [`${ROOT}bin/modreg`, 'agent', 'run', `${folder}/machine.json`];
    const env = { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` };
    const child = spawn('unshare', [...own, ...run], { stdio: ['ignore', 'pipe', 'inherit'], env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      said.push(line);
      if (line.includes('process 1')) break;
    }
    expect(said.at(-1)?.replace(/^\S+ +/, '')).toBe(
      'warn  the agent is process 1, and takes no exit codes of processes whose parents have ended: they stay in the table of processes until it is full; start the container with an init: docker run --init, or tini -- modreg agent run',
    );
  });
});
