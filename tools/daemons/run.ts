/*
 * Packs node-exporter, mosquitto and redis of Debian as modules, and upgrades them while a client uses them:
 * `npm run test:daemons -- --upgrades N` (default 3). Prints what the clients have seen. Needs Debian's packages, and the ports 9101
 * to 9103 of 127.0.0.1.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { optionsOf, wholeNumber } from '../options.ts';
import { load } from './client.ts';
import { DAEMONS, packed } from './debian-daemons.ts';

const { values } = optionsOf(
  { options: { upgrades: { type: 'string', default: '3' } } },
  'Upgrades daemons of Debian under load.\n  --upgrades N  how often (default 3)',
);
const upgrades = wholeNumber('--upgrades', values.upgrades, 1);
const MODREG = fileURLToPath(new URL('../../bin/modreg', import.meta.url));
const FIRST_PORT = 9101;
/** A daemon's own stop and start, with room for a busy machine. */
const LONGEST_GAP_MS = 2000;
/** An action that failed is repeated within a minute. */
const PATIENCE_MS = 90_000;

const folder = mkdtempSync(`${tmpdir()}/modreg-daemons-`);
const environment = { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` };
const children: ChildProcess[] = [];
const run = promisify(execFile);

async function modreg(...args: readonly string[]): Promise<string> {
  return (await run(MODREG, args, { env: environment })).stdout;
}

/** Starts a command of modreg. Returns a function that resolves once a line of its log has all of `texts`. */
function started(...args: readonly string[]): (texts: readonly string[]) => Promise<void> {
  const child = spawn(MODREG, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  return async (texts) => {
    const late = AbortSignal.timeout(PATIENCE_MS);
    while (!lines.some((line) => texts.every((text) => line.includes(text)))) {
      await once(child.stdout, 'data', { signal: late }).catch(() => undefined);
      if (child.exitCode === null && !late.aborted) continue;
      throw new Error(`expected "${texts.join(' … ')}", found:\n${lines.join('\n')}`);
    }
  };
}

async function publish(version: string): Promise<void> {
  for (const { name } of DAEMONS) {
    const file = ['--upload', `${folder}/${name}.tgz`, '--create'];
    await modreg('registry', 'publish', `debian:${name}`, version, ...file);
  }
}

function writeMachine(): void {
  const modules = DAEMONS.map(({ name }) => {
    return { type: 'registry', name, module_id: `debian:${name}`, version: '1.*' };
  });
  const terms = DAEMONS.map(({ name, argumentsFor }, place) => {
    const port = FIRST_PORT + place;
    const command = ['run', ...argumentsFor(port)];
    return [name, { command, ready: `tcp://127.0.0.1:${port}` }] as const;
  });
  const policy = {
    registry: 'http://127.0.0.1:4870',
    ...(process.getuid?.() === 0 && { run_as: 'root' }),
    probation: '1s',
    restart_cooldown: '0s',
    restart_ceiling: 1440,
    modules: Object.fromEntries(terms),
  };
  writeFileSync(`${folder}/machine.json`, JSON.stringify({ modules }));
  writeFileSync(`${folder}/policy.json`, JSON.stringify(policy));
}

try {
  mkdirSync(environment.PLATFORM_HOME);
  for (const daemon of DAEMONS) packed(daemon, folder);
  writeMachine();
  await publish('1.0.0');
  started('registry', 'serve');
  const says = started('agent', 'run', `${folder}/machine.json`, '--interval', '5s');
  for (const { name } of DAEMONS) await says([`${name}: install of 1.0.0: done`]);
  const stopping = new AbortController();
  const clients = DAEMONS.map(async (one, place) => {
    return await load(one, FIRST_PORT + place, stopping.signal);
  });
  for (let patch = 1; patch <= upgrades; patch++) {
    await publish(`1.0.${patch}`);
    for (const { name } of DAEMONS) await says([`${name}: upgrade`, `1.0.${patch}: done`]);
  }
  stopping.abort();
  for (const [place, { requests, failed, longestGap }] of (await Promise.all(clients)).entries()) {
    const gap = Math.round(longestGap);
    const name = DAEMONS[place]?.name ?? '';
    console.log(
      `${name}: ${upgrades} upgrades, ${requests} requests, ${failed} failed, at most ${gap} ms without a response`,
    );
    if (gap > LONGEST_GAP_MS) process.exitCode = 1;
  }
} finally {
  await Promise.all(
    children.toReversed().map(async (child) => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    }),
  );
  rmSync(folder, { recursive: true });
}
