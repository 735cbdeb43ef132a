import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { readPackage } from '../../src/agent/install/package.ts';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import { ROOT } from '../support/modreg.ts';
import { MODULE, withUpgradeReleases, type Behaviour } from './upgrade-releases.ts';

const SCRIPT = `${ROOT}test/faults/upgrading-agent.ts`;
const FAILURES = ['fails-at-once', 'fails-when-ready'] as const;
/** The share of releases that fail. */
const FAILING = 1 / 5;
/** Processes of a killed agent must have ended after this time. */
const ORPHANS_MS = 2000;

/** What became of a machine whose agents were killed during its upgrades. */
export interface KilledUpgrades {
  readonly upgrades: number;
  readonly kills: number;
  readonly findings: readonly string[];
  /** The folder, which is kept if there are findings. */
  readonly folder: string;
}

/** Upgrades a machine `count` times, and kills its agent once during each upgrade, at any moment. */
export async function killUpgrades(count: number, random: () => number): Promise<KilledUpgrades> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-upgrades-`);
  const home = `${folder}/home`;
  const findings: string[] = [];
  const failed: string[] = [];
  let works = '1.0.0';
  let kills = 0;
  let upgrades = 0;
  let hours = 0;
  await withUpgradeReleases(async ({ address, publish }) => {
    publish(works, 'works');
    const agent = (): Agent => startAgent([home, address, `${hours++}`, settled()]);
    const settled = (): string => settledOn(works, failed);
    const began = performance.now();
    findings.push(...(await endFindings(agent(), home)));
    // An upgrade takes about as long as the first installation.
    const longestMs = performance.now() - began;
    for (; findings.length === 0 && upgrades < count; upgrades++) {
      const version = `1.0.${upgrades + 1}`;
      const behaviour = random() < FAILING ? pick(FAILURES, random) : 'works';
      publish(version, behaviour);
      if (behaviour === 'works') works = version;
      else failed.push(version);
      const first = agent();
      const isKilled = await killedWithin(first, random() * longestMs);
      if (isKilled) kills++;
      // Half of the agents are started again at once.
      const orphans = isKilled && random() < 1 / 2 ? await orphanFindings(home) : [];
      const wrong = [...orphans, ...(await endFindings(isKilled ? agent() : first, home))];
      if (wrong.length > 0) findings.push(`${version}, expected ${settled()}`, ...wrong);
    }
  });
  if (findings.length === 0) rmSync(folder, { recursive: true });
  return { upgrades, kills, findings, folder };
}

/** Kills an agent at an event of an upgrade to a release with this behaviour, and lets the next one end it. */
export async function killedAt(
  event: string,
  behaviour: Behaviour,
): Promise<{ readonly wasKilled: boolean; readonly findings: readonly string[] }> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-upgrade-`);
  const home = `${folder}/home`;
  return await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const findings = await endFindings(startAgent([home, address, '0', settledOn('1.0.0')]), home);
    publish('1.0.1', behaviour);
    const settled = behaviour === 'works' ? settledOn('1.0.1') : settledOn('1.0.0', ['1.0.1']);
    // A busy machine may notice an end a second late.
    const slow = behaviour === 'fails-on-probation' ? { PROBATION_MS: '4000' } : {};
    const { exit } = await startAgent([home, address, '1', settled, event], slow).ended;
    const orphans = await orphanFindings(home);
    const last = await endFindings(startAgent([home, address, '2', settled], slow), home);
    rmSync(folder, { recursive: true });
    return { wasKilled: exit === null, findings: [...findings, ...orphans, ...last] };
  });
}

function pick<T>(from: readonly [T, ...T[]], random: () => number): T {
  return from[Math.floor(random() * from.length)] ?? from[0];
}

/** What a machine has that is settled on a version. */
export function settledOn(works: string, failed: readonly string[] = []): string {
  return `${works}, running, 0 open, failed: ${failed.join(' ')}`;
}

interface Agent {
  readonly kill: () => boolean;
  readonly ended: Promise<{ readonly exit: number | null; readonly stderr: string }>;
}

/** The program of an agent, with the arguments that upgrading-agent.ts explains. */
export function upgradeCommand(args: readonly string[]): [string, ...string[]] {
  return ['node', SCRIPT, ...args];
}

function startAgent(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Agent {
  const [program, ...rest] = upgradeCommand(args);
  const child = spawn(program, rest, {
    env: {
      PATH: `${ROOT}node_modules/.bin:${process.env['PATH']}`,
      // A program that is compiled already starts faster.
      NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/faults`,
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'close') as Promise<[number | null]>;
  const ended = Promise.all([text(child.stderr), exit]).then(([stderr, [code]]) => ({
    exit: code,
    stderr,
  }));
  return { kill: () => child.kill('SIGKILL'), ended };
}

/** Kills an agent after a time. Returns false if it has ended before. */
async function killedWithin({ kill, ended }: Agent, ms: number): Promise<boolean> {
  const isOver = await Promise.race([ended.then(() => true), delay(ms, false)]);
  if (isOver) return false;
  kill();
  return (await ended).exit === null;
}

/** What is wrong after an agent that was not killed. */
async function endFindings({ ended }: Agent, home: string): Promise<string[]> {
  const { exit, stderr } = await ended;
  return [
    ...(exit === 0 && stderr === '' ? [] : [`an agent ended with ${exit}: ${stderr}`]),
    ...upgradeFindings(home),
  ];
}

/** What is wrong on a machine whose agent has ended. */
export function upgradeFindings(home: string): string[] {
  const record = `${home}/module-data/local/${MODULE}/record`;
  const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n') : [];
  const staging = existsSync(`${home}/staging`) ? readdirSync(`${home}/staging`) : [];
  return [
    ...lines.filter((line) => /^(two at once|incomplete)/.test(line)),
    ...marked(`${runIdOf(home)}/`).map(({ mark }) => `a process is left: ${mark}`),
    ...staging.map((name) => `unpacked and not installed: ${name}`),
    ...packageFindings(`${home}/packages/acme/${MODULE}`),
  ];
}

function packageFindings(folder: string): string[] {
  const roots = existsSync(folder) ? readdirSync(folder) : [];
  return roots.flatMap((name) => {
    const found = readPackage(`${folder}/${name}`, { command: undefined, platform: 'linux/amd64' });
    if (!found.ok) return [`${name} is not complete: ${found.error.reason}`];
    return existsSync(`${folder}/${name}/notes`) ? [] : [`${name} has no notes`];
  });
}

/** The processes that a killed agent has left behind. */
async function orphanFindings(home: string): Promise<string[]> {
  const end = performance.now() + ORPHANS_MS;
  let left = marked(`${runIdOf(home)}/`);
  while (left.length > 0 && performance.now() < end) {
    await delay(20);
    left = marked(`${runIdOf(home)}/`);
  }
  return left.map(({ mark }) => `a process outlives its agent: ${mark}`);
}
