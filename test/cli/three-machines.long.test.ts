import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { packageOf, type Behaviour } from '../faults/upgrade-releases.ts';
import { fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { SLOWNESS } from '../support/slowness.ts';
import { serve } from '../support/served-process.ts';
import { linesOf } from '../page/support/machine-page.ts';
import { askPage, cookieFor, parsedAddress } from './support/page-process.ts';

/** Terms with which a module is in use soon. */
const QUICK = {
  run_as: process.getuid?.() === 0 ? 'root' : undefined,
  ready_timeout: '1s',
  probation: '0s',
  restart_cooldown: '0s',
};
const SOON = { timeout: 60_000 * SLOWNESS, interval: 200 };
const TEN_MINUTES = 600_000;

/** Runs `modreg` here, and returns its lines, without times. */
async function modreg(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const { stdout, stderr, exit } = await inProcess(args, env);
  if (exit !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  const told = stdout.trimEnd().replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  return told.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `${port}`;
}

/** A registry in a process of its own, and what it hosts. */
interface Registry {
  readonly db: string;
  readonly address: string;
  readonly publish: (version: string, behaviour: Behaviour) => Promise<void>;
  /** Starts it again, so much later by the times in its file. */
  readonly restart: (laterMs: number) => Promise<void>;
}

async function registry(): Promise<Registry> {
  const folder = temporaryFolder();
  const db = `${folder}/registry.db`;
  const publish: Registry['publish'] = async (version, behaviour) => {
    const file = `${folder}/lidar-${version}.tgz`;
    writeFileSync(file, packageOf(version, behaviour));
    const args = ['publish', 'acme:lidar', version, '--upload', file, '--db', db, '--create'];
    await modreg(['registry', ...args]);
  };
  await publish('1.0.0', 'works');
  const options = ['--page', '127.0.0.1:0', '--port', await freePort()];
  let { child, address } = await serve(db, ...options);
  return {
    db,
    address,
    publish,
    async restart(laterMs) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      const fleet = new DatabaseSync(fleetPath(db));
      const back = `seen_at = seen_at - ${laterMs}, contact_at = contact_at - ${laterMs}`;
      fleet.exec(`UPDATE machines SET ${back}`);
      fleet.close();
      ({ child, address } = await serve(db, ...options));
    },
  };
}

/** The folder of a machine that runs the releases of a branch. */
function machineFolder({ address }: Registry, version: string): string {
  const modules = [{ type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version }];
  const policy = { registry: address, ...QUICK };
  return temporaryFolder({
    'machine.json': JSON.stringify({ modules }),
    'policy.json': JSON.stringify(policy),
  });
}

/** `modreg agent run` in a folder with credentials, which ends in order after the test. */
function agent(folder: string, { address }: Registry): ChildProcess {
  const at = ['--registry', address, '--reports', address];
  const run = ['agent', 'run', `${folder}/machine.json`, '--interval', '5s', ...at];
  const child = spawn(`${ROOT}bin/modreg`, run, {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      PLATFORM_HOME: `${folder}/home`,
      MODREG_CREDENTIALS_FILE: `${folder}/credentials.json`,
    },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return child;
}

/** The lines of the pages of a site, without the minutes and seconds of an age. */
async function pagesOf({ db }: Registry): Promise<(path: '/' | '/wall') => readonly string[]> {
  const address = parsedAddress(readFileSync(db.replace('.db', '-page-address'), 'utf8'));
  const headers = await cookieFor(address);
  const read = async (path: string): Promise<readonly string[]> => {
    const { text } = await askPage(address, ['GET', path], { headers });
    const ago = text
      .replaceAll(/>\d+ s<\/span> ago/g, '>some s</span> ago')
      .replaceAll(/>1\d min( \d+ s)?<\/span> ago/g, '>some min</span> ago');
    return linesOf(ago);
  };
  const pages = { '/': await read('/'), '/wall': await read('/wall') };
  return (path) => pages[path];
}

it('[D184] [D186] [D194] [D215] three machines, of which one is killed, one fails and one is new: what an operator is told', async () => {
  const site = await registry();
  const token = ['registry', 'token', 'create', '--db', site.db];
  const [reading = ''] = await modreg([...token, '--name', 'op', '--scope', 'fleet:read']);
  const fleet = async (...args: readonly string[]): Promise<string[]> =>
    await modreg(['fleet', ...args, '--registry', site.address], { MODREG_TOKEN: reading });
  const deployed = async (): Promise<string[]> =>
    (await fleet('machines')).slice(1).map((line) => line.replaceAll(/ {2}TIME/g, ''));
  const folders = [machineFolder(site, '1.0.*'), machineFolder(site, '1.*')] as const;
  for (const [place, folder] of folders.entries()) {
    const out = ['--machine', `rover-${place + 1}`, '--out', `${folder}/credentials.json`];
    await modreg([...token, ...out]);
  }
  const first = agent(folders[0], site);
  agent(folders[1], site);
  await expect
    .poll(deployed, SOON)
    .toEqual([
      'rover-1  online  acme:lidar  1.0.0  up to date',
      'rover-2  online  acme:lidar  1.0.0  up to date',
    ]);

  await site.publish('1.1.0', 'fails-at-once');
  const third = machineFolder(site, '1.0.*');
  const invite = ['registry', 'invite', '--name', 'rover-3', '--db', site.db];
  const [code = ''] = await modreg(invite);
  const join = ['join', site.address, '--name', 'rover-3', '--code', code, '--to', third];
  expect((await modreg(join))[0]).toBe(`rover-3 has joined ${site.address}`);
  agent(third, site);
  const fails = 'up to date; 1.1.0 failed because of the release: it ended with exit code 3';
  await expect
    .poll(deployed, SOON)
    .toEqual([
      'rover-1  online  acme:lidar  1.0.0  up to date',
      `rover-2  online  acme:lidar  1.0.0  ${fails}`,
      'rover-3  online  acme:lidar  1.0.0  up to date',
    ]);

  const killed = once(first, 'exit');
  first.kill('SIGKILL');
  await killed;
  await site.restart(TEN_MINUTES);
  await expect
    .poll(async () => await fleet('machines', '--quiet'), SOON)
    .toEqual([
      'MACHINE  SEEN  STATE  MODULE  DEPLOYED  DECISION',
      'rover-1  TIME  quiet  acme:lidar  1.0.0  up to date',
    ]);
  expect(await fleet('status')).toEqual([
    '3 machines, 3 seen in 24 h; 1 quiet; 1 failing',
    '3 machines without a pin: what they run needs no signature',
    '',
    'MODULE  DEPLOYED  MACHINES  DECISIONS',
    'acme:lidar  1.0.0  3  up to date 3',
    '',
    'failing: acme:lidar 1.1.0 on 1 machine, because of the release',
    'failed in 24 h: acme:lidar 1.1.0, 1 time',
  ]);
  expect((await fleet('machines', '--failing')).slice(1)).toEqual([
    `rover-2  TIME  online  acme:lidar  1.0.0  ${fails}`,
  ]);
  expect(await fleet('failures')).toEqual([
    'acme:lidar 1.1.0 on 1 machine because of the release, last TIME',
    'it ended with exit code 3',
    'rover-2',
  ]);
  const shown = await pagesOf(site);
  expect(
    shown('/').filter((line) => /^(rover|\d+ (quiet|failing|stuck)|acme:lidar 1)/.test(line)),
  ).toEqual([
    '1 quiet',
    '1 failing',
    '0 stuck',
    'rover-1 some min ago quiet 1',
    'rover-2 some s ago 1',
    'acme:lidar 1.0.0 failing up to date 1.1.0 failed because of the release: it ended with exit code 3',
    'rover-3 some s ago 1',
  ]);
  expect(shown('/wall')).toEqual([
    '2 of 3 online',
    '0 silent',
    '1 failing',
    '0 stuck',
    '1 quiet',
    '0 behind',
    'rover-2',
    '✕ failing',
    'acme:lidar 1.1.0: it ended with exit code 3',
    'rover-1',
    '~ quiet',
    'heard some min ago',
    'rover-3',
    '✓ well',
  ]);

  agent(folders[0], site);
  await expect
    .poll(async () => await fleet('machines', '--quiet'), SOON)
    .toEqual(['no machine matches']);
});
