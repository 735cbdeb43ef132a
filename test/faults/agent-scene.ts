import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openMachineFile } from '../../src/store/index.ts';
import { ROOT } from '../support/modreg.ts';
import { AFTER, BEFORE, described, GAVE_UP, NOT_OPENED, SETTLED } from './agent-task.ts';
import { runTraced, type Ended } from './run-traced.ts';
import type { Scene } from './scene.ts';

/** What the consumer did, in words that name the module and the version. */
const EXPECTED: readonly string[] = [
  `arm ${BEFORE.arm}`,
  'arm 1.1.0',
  `base ${AFTER.base}`,
  `lidar ${AFTER.lidar}`,
];
const SCRIPT = `${ROOT}test/faults/faulty-agent.ts`;
const STATE_FILES = ['', '-wal', '-shm', '-journal', '-poller'];

/** An agent whose clock is `hours` ahead. */
export function agentCommand(folder: string, address: string, hours: number): string[] {
  return ['node', SCRIPT, `${folder}/home`, address, `${hours}`];
}

/** An agent that polls a registry at `address`, and carries out four actions. */
export function agentScene(address: string): Scene {
  return {
    name: 'agent',
    prepare: (folder) => {
      mkdirSync(`${folder}/home`);
      mkdirSync(`${folder}/home.outside`);
      writeFileSync(`${folder}/home.outside/log`, '');
    },
    command: (folder) => agentCommand(folder, address, 0),
    files: (folder) => [
      `${folder}/home`,
      ...STATE_FILES.map((suffix) => `${folder}/home/machine.db${suffix}`),
    ],
    judge: async (folder, ended) => {
      const findings = endFindings(folder, ended);
      // The next agent has no fault, and ends what is left to do.
      const { exit, signal, stderr } = await runTraced(agentCommand(folder, address, 1), undefined);
      if (exit !== 0 || stderr !== '') {
        return [...findings, `the next agent ended with ${exit ?? signal}: ${stderr}`];
      }
      return [...findings, ...homeFindings(folder)];
    },
  };
}

/** An agent that starts again when nothing is left to do. */
export function settledScene(address: string): Scene {
  const scene = agentScene(address);
  return {
    ...scene,
    name: 'settled',
    prepare: async (folder) => {
      await scene.prepare(folder);
      await runTraced(agentCommand(folder, address, 0), undefined);
    },
    command: (folder) => agentCommand(folder, address, 1),
  };
}

/** What is wrong with the way in which an agent ended: it says what failed and where, and nothing else ends it. */
function endFindings(folder: string, { exit, signal, stderr }: Ended): string[] {
  if (signal === 'SIGKILL' && stderr === '') return [];
  const lines = stderr.split('\n').slice(0, -1);
  const unnamed = lines.filter((line) => !/^[a-z-]+: "/.test(line) || !line.includes(folder));
  const expected = new Set([0, NOT_OPENED, GAVE_UP]);
  return [
    ...(unnamed.length > 0 ? [`the agent says: ${stderr}`] : []),
    ...(exit === null || !expected.has(exit) ? [`the agent ended with ${exit ?? signal}`] : []),
    ...(exit !== 0 && signal === null && lines.length === 0
      ? [`it exits with ${exit} and says nothing`]
      : []),
  ];
}

/** What is wrong in the file of a settled machine, and in the record of its consumers. */
export function homeFindings(folder: string): string[] {
  const path = `${folder}/home/machine.db`;
  const others = readdirSync(`${folder}/home`).filter((name) => name.includes('set-aside'));
  const findings = others.map((name) => `the file was set aside: ${name}`);
  const file = openMachineFile(path, { mode: 'read' });
  try {
    const found = described(file);
    if (found !== SETTLED) findings.push(`machine.db has ${found}`);
    const integrity = String(file.sql.get('PRAGMA integrity_check')?.['integrity_check']);
    if (integrity !== 'ok') findings.push(`machine.db: ${integrity}`);
    const states = file.sql
      .all('SELECT state FROM actions ORDER BY state')
      .map(({ state }) => state);
    if (states.join() !== 'done,done,done,failed')
      findings.push(`the actions are ${states.join()}`);
  } finally {
    file.close();
  }
  return [...findings, ...recordFindings(readFileSync(`${folder}/home.outside/log`, 'utf8'))];
}

function recordFindings(log: string): string[] {
  const findings: string[] = [];
  const contents = new Map<string, string>();
  const acknowledged = new Set<string>();
  const done: string[] = [];
  for (const line of log.split('\n')) {
    const [what, id = '', name = '', to = ''] = line.split(' ');
    const content = `${name} ${to}`;
    if (what === 'set-aside' || what === 'lost-row') findings.push(line);
    if (what === 'acknowledged' && name === 'done') acknowledged.add(id);
    if (what === 'did') done.push(content);
    if (what !== 'delivered') continue;
    if (acknowledged.has(id)) findings.push(`${id} was delivered after its acknowledgement`);
    if ((contents.get(id) ?? content) !== content) findings.push(`${id} has two contents`);
    contents.set(id, content);
  }
  if (done.toSorted().join() !== EXPECTED.join()) findings.push(`carried out: ${done.join()}`);
  return findings;
}
