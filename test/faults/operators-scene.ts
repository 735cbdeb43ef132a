import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { scheduler } from 'node:timers/promises';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { openForPoller, openMachineFile, type MachineFile } from '../../src/store/index.ts';
import { deployedText } from '../../src/core/decision/deployed.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { NO_CHANCE, ROOT } from '../support/modreg.ts';
import { targetNamed } from '../support/day.ts';
import { BEFORE, MODULES, NEWEST } from './agent-task.ts';
import { carriedOut, pollArguments, type Expected, type Report } from './operators-report.ts';
import type { Scene } from './scene.ts';

/** What is deployed before the first poller. */
const FIRST = { ...NEWEST, arm: BEFORE.arm };
const SUFFIXES = ['', '-wal', '-shm', '-journal', '-poller', '.program'];
const SETTLED_WITHIN_MS = 30_000;
const LOOK_MS = 100;
/** Decisions after which nothing is left to do. */
const SETTLED: ReadonlySet<string> = new Set(['up-to-date', 'ahead']);

/** Notes the action. The new release of the arm fails. */
const PROGRAM = `#!/bin/sh
# A poller that was killed first has not written all of it.
read -r action || exit 1
action=\${action%%,\\"entry\\":*}
field() { printf "%s\\n" "$action" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
echo "$(field id) $(field name) $(field to)" >>"\${0%/*}/carried-out"
[ "$(field name) $(field to)" != 'acme_arm 1.1.0' ] || { echo 'no light' >&2; exit 1; }
`;

/**
 * A machine whose poller and operators write machine.db at once, are killed, and have failing calls (T114): each of their
 * processes has the fault.
 */
export function operatorsScene(address: string): Scene {
  return {
    name: 'operators',
    prepare: (folder) => prepare(folder, address),
    command: (folder) => ['node', `${ROOT}test/faults/operators.ts`, folder, address],
    files: (folder) => [
      `${folder}/home`,
      ...SUFFIXES.map((suffix) => `${folder}/home/machine.db${suffix}`),
    ],
    judge: async (folder, { exit, signal, stderr }) => {
      if (exit !== 0) return [`the operators ended with ${exit ?? signal}: ${stderr}`];
      const { quarantine, findings } = reportIn(folder);
      return [...findings, ...(await settle(folder)), ...machineFindings(folder, quarantine)];
    },
  };
}

export function reportIn(folder: string): Report {
  return JSON.parse(readFileSync(`${folder}/report.json`, 'utf8')) as Report;
}

/** A machine with the modules of the agent's task: the newest release of each is deployed, but for the arm. */
function prepare(folder: string, address: string): void {
  const modules = MODULES.map((name) => ({
    type: 'registry',
    name: `acme_${name}`,
    module_id: `acme:${name}`,
    version: '1.*',
  }));
  const policy = { registry: address, restart_cooldown: '0s', quarantine: '1h' };
  writeFileSync(`${folder}/machine.json`, JSON.stringify({ modules }));
  writeFileSync(`${folder}/policy.json`, JSON.stringify(policy));
  writeFileSync(`${folder}/program`, PROGRAM);
  chmodSync(`${folder}/program`, 0o755);
  mkdirSync(`${folder}/home`);
  const file = openForPoller(`${folder}/home/machine.db`);
  for (const name of MODULES) {
    file.state.report(targetNamed(`acme_${name}`), BEFORE[name], 1);
    file.state.report(targetNamed(`acme_${name}`), FIRST[name], 2);
  }
  file.state.log(MODULES.map(decidedOn), { at: Date.now(), trouble: undefined });
  file.close();
}

function decidedOn(name: string): LoggedDecision {
  return {
    kind: 'module',
    name: `acme_${name}`,
    moduleId: `acme:${name}`,
    constraint: '1.*',
    target: '1.1.0',
    latest: '1.1.0',
    decision: 'up-to-date',
    reason: 'already the newest release of 1',
    until: undefined,
  };
}

/** A poller without a fault ends what is left to do. */
async function settle(folder: string): Promise<string[]> {
  // Its first round begins at once.
  const home = { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` };
  const env = { ...home, NODE_OPTIONS: NO_CHANCE };
  const began = Date.now();
  const child = spawn(`${ROOT}bin/modreg`, pollArguments(folder), {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  const said = text(child.stderr);
  while (
    !isSettled(folder, began) &&
    Date.now() < began + SETTLED_WITHIN_MS &&
    child.exitCode === null
  )
    await scheduler.wait(LOOK_MS);
  const isLate = !isSettled(folder, began);
  child.kill('SIGTERM');
  const [exit, signal] = await closed;
  const stderr = await said;
  return [
    ...(isLate ? ['the machine does not settle'] : []),
    ...(exit === 0 && stderr === ''
      ? []
      : [`the last poller ends with ${exit ?? signal}: ${stderr}`]),
  ];
}

/** Whether a round since `began` left nothing to do. */
function isSettled(folder: string, began: number): boolean {
  return reading(folder, (file) => {
    const state = machineStateIn(file);
    const isNew = (state.poller().round?.at ?? 0) >= began;
    const modules = state.decisions().filter(({ kind }) => kind === 'module');
    const isIdle = modules.every(({ decision }) => SETTLED.has(decision));
    return isNew && isIdle && state.memory().open.length === 0;
  });
}

function reading<T>(folder: string, work: (file: MachineFile) => T): T {
  const file = openMachineFile(`${folder}/home/machine.db`, { mode: 'read' });
  try {
    return work(file);
  } finally {
    file.close();
  }
}

function machineFindings(folder: string, expected: Report['quarantine']): string[] {
  const aside = readdirSync(`${folder}/home`).filter((name) => name.includes('set-aside'));
  return reading(folder, (file) => {
    const integrity = String(file.sql.get('PRAGMA integrity_check')?.['integrity_check']);
    const damaged = file.sql.all('SELECT row FROM damaged_rows');
    return [
      ...aside.map((name) => `the file was set aside: ${name}`),
      ...(integrity === 'ok' ? [] : [`machine.db: ${integrity}`]),
      ...damaged.map(({ row }) => `a row was damaged: ${String(row)}`),
      ...quarantineFindings(expected, quarantineIn(file)),
      ...carriedOutFindings(folder, file),
    ];
  });
}

/** How each version is refused, by its module and version. */
function quarantineIn(file: MachineFile): ReadonlyMap<string, string> {
  const { quarantine } = machineStateIn(file).memory();
  return new Map(
    quarantine.map(({ moduleId, version, until, rolledBack }) => {
      const what = rolledBack ? 'rolled back' : until === undefined ? 'refused' : 'failed';
      return [`${moduleId} ${version}`, what];
    }),
  );
}

/** What operators refused is in the file, and nothing else but the failure of the arm. */
function quarantineFindings(
  expected: Report['quarantine'],
  found: ReadonlyMap<string, string>,
): string[] {
  const keys = new Set(
    [...Object.keys(expected), ...found.keys()].filter((key) => !key.endsWith('*')),
  );
  return [...keys].flatMap((key) => {
    const any = expected[key.replace(/ .*/, ' *')];
    const wanted: Expected = expected[key] ?? any ?? 'absent';
    const is = found.get(key) ?? 'absent';
    const isFailure = is === 'failed' && key === 'acme:arm 1.1.0' && wanted !== 'refused';
    const isRollback = is === 'rolled back' && wanted === 'refused';
    const isFit = is === wanted || wanted === 'unknown' || isFailure || isRollback;
    return isFit ? [] : [`${key} is ${is}, expected ${wanted}`];
  });
}

/** Each action that the program carried out is in the file with the same content, and the last one is deployed. */
function carriedOutFindings(folder: string, file: MachineFile): string[] {
  const findings: string[] = [];
  const last = new Map<string, string>(MODULES.map((name) => [`acme_${name}`, FIRST[name]]));
  const known = actionsIn(file);
  for (const line of carriedOut(folder)) {
    const [id = '', name = '', to = ''] = line.split(' ');
    const found = known.get(id.split('-').at(-1) ?? '');
    if (found !== `${name} ${to}`) findings.push(`${line} was carried out, and not ${found}`);
    last.set(name, to);
  }
  const memory = machineStateIn(file).memory();
  for (const [name, to] of last) {
    const { deployed } = memory.of(targetNamed(name));
    const found = deployedText(deployed) ?? deployed.kind;
    if (found !== to) findings.push(`${name} is ${found}, and ${to} was carried out`);
  }
  return findings;
}

/** The module entry and the version of each action, by its number. */
function actionsIn({ sql }: MachineFile): ReadonlyMap<string, string> {
  const rows = sql.all('SELECT number, name, content FROM actions');
  return new Map(
    rows.map(({ number, name, content }) => {
      // modreg wrote it.
      const { to } = JSON.parse(String(content)) as { readonly to: string };
      return [String(number), `${String(name)} ${to}`];
    }),
  );
}
