/*
 * Operators of a machine: operators.ts <folder> <registry address>. While `modreg poll` is killed and starts again, they run
 * commands that write the same machine.db, and kill some of them. What must be true afterwards is in <folder>/report.json.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { scheduler } from 'node:timers/promises';
import { ROOT } from '../support/modreg.ts';
import { pollArguments, type Expected, type Report } from './operators-report.ts';

const [folder = '', address = ''] = process.argv.slice(2);
const KILLED_POLLERS = 2;
const LONGEST_POLLER_MS = 2500;
/** How many commands are killed, and within which time. */
const KILLED_COMMANDS = 0.15;
const LONGEST_COMMAND_MS = 1200;

const quarantine = new Map<string, Expected>();
const findings: string[] = [];
const counts = { done: 0, refused: 0, unanswered: 0, pollers: 0 };

function start(args: readonly string[]): ChildProcess {
  const env = { ...process.env, PLATFORM_HOME: `${folder}/home` };
  return spawn(`${ROOT}bin/modreg`, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

interface Ended {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child;
  const [[exit, signal], out, problems] = await Promise.all([
    once(child, 'close') as Promise<[number | null, string | null]>,
    stdout ? text(stdout) : '',
    stderr ? text(stderr) : '',
  ]);
  return { exit, signal, stdout: out, stderr: problems };
}

/** An error of the state names its file, and exits with 70. */
function isStateError({ exit, stderr }: Ended): boolean {
  return (
    exit === 70 &&
    /^error\[(?:LOCKED|STATE_WRITE|STATE_UNREADABLE)\]: |"code":"(?:LOCKED|STATE_WRITE|STATE_UNREADABLE)"/.test(
      stderr,
    ) &&
    stderr.includes(`${folder}/home/machine.db`)
  );
}

/** What a command printed once its change was made; undefined if nobody knows whether it was. */
type Answer = { readonly text: string } | 'refused' | undefined;

/**
 * Runs a command, which may be killed. `refusals` are the errors of a command that comes too late or too early.
 */
async function operate(args: readonly string[], refusals: RegExp): Promise<Answer> {
  const child = start(args);
  const isKilled = Math.random() < KILLED_COMMANDS;
  const timer = setTimeout(
    () => isKilled && child.kill('SIGKILL'),
    Math.random() * LONGEST_COMMAND_MS,
  );
  const end = await ended(child);
  clearTimeout(timer);
  if (end.exit === 0) {
    counts.done++;
    return { text: end.stdout };
  }
  if (end.signal === 'SIGKILL' || isStateError(end)) {
    counts.unanswered++;
    return undefined;
  }
  if (refusals.test(end.stderr)) counts.refused++;
  else findings.push(`${args.join(' ')} ends with ${end.exit ?? end.signal}: ${end.stderr}`);
  return 'refused';
}

async function rollBack(name: string): Promise<string | undefined> {
  const args = ['rollback', `acme_${name}`, '--json'];
  const answer = await operate(args, /"code":"(?:NO_MATCH|DEPLOYED_UNKNOWN)"|in the meantime/);
  if (answer === 'refused') return undefined;
  if (answer === undefined) forget(`acme:${name}`);
  // The answer has this key.
  const from = answer && (JSON.parse(answer.text) as { readonly from: string }).from;
  if (from !== undefined) quarantine.set(`acme:${name} ${from}`, 'rolled back');
  return from;
}

/** Any version of the module may be one from which it was rolled back. */
function forget(moduleId: string): void {
  for (const [key, expected] of quarantine) {
    if (key.startsWith(moduleId) && expected !== 'refused') quarantine.set(key, 'unknown');
  }
  quarantine.set(`${moduleId} *`, 'unknown');
}

async function add(key: string): Promise<void> {
  const before = quarantine.get(key) ?? 'absent';
  const answer = await operate(
    ['quarantine', 'add', ...key.split(' ')],
    /refused already, by a rollback/,
  );
  if (answer === 'refused' || quarantine.get(key) === 'rolled back') return;
  if (answer !== undefined) quarantine.set(key, 'refused');
  else if (before !== 'refused') quarantine.set(key, 'unknown');
}

async function lift(key: string): Promise<void> {
  const before = quarantine.get(key);
  const answer = await operate(
    ['quarantine', 'lift', ...key.split(' ')],
    /^error\[UNKNOWN_VERSION\]/,
  );
  if (answer === 'refused' && before !== 'unknown')
    findings.push(`${key} was ${before}, and is lost`);
  quarantine.set(key, answer === undefined ? 'unknown' : 'absent');
}

const OPERATORS: readonly (() => Promise<unknown>)[] = [
  async () => {
    const from = await rollBack('lidar');
    if (from !== undefined) await lift(`acme:lidar ${from}`);
    await rollBack('lidar');
  },
  async () => {
    for (const version of ['2.0.0', '2.0.1']) await add(`acme:arm ${version}`);
    await lift('acme:arm 2.0.0');
  },
  // Its program fails at about the same time: that is a quarantine which ends.
  async () => {
    await add('acme:arm 1.1.0');
    await operate(['accept', 'acme:base', '--registry', address], /^$/);
  },
  async () => await Promise.all([rollBack('base'), add('acme:base 1.1.0')]),
];

const over = Promise.all(OPERATORS.map(async (operator) => await operator()));

/** Polls until the operators are done, or until the poller is killed. */
async function poll(isKilled: boolean): Promise<void> {
  counts.pollers++;
  const child = start(pollArguments(folder));
  const ending = ended(child);
  const wait = isKilled ? scheduler.wait(Math.random() * LONGEST_POLLER_MS) : over;
  await Promise.race([wait, ending]);
  child.kill(isKilled ? 'SIGKILL' : 'SIGTERM');
  const end = await ending;
  const isStopped = end.exit === 0 || end.signal !== null;
  if (!isStopped && !isStateError(end)) {
    findings.push(`the poller ends with ${end.exit}: ${end.stderr}`);
  }
}

for (let killed = 0; killed < KILLED_POLLERS; killed++) await poll(true);
await poll(false);
await over;
const report: Report = { quarantine: Object.fromEntries(quarantine), findings, counts };
writeFileSync(`${folder}/report.json`, JSON.stringify(report));
