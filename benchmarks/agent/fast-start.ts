/*
 * From the start of an agent with fast start to its first process: platform-server and ten modules, which an earlier agent
 * installed. `node fast-start.ts <rounds>`. Prints rows as JSON.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT, SERVER, startAgent } from './machine.ts';
import { median, printRows, rounded } from '../row.ts';
import { nextStart, PROGRAMS, recorded } from './supervisor.ts';

const [rounds = '10'] = process.argv.slice(2);
const MOST_MS = 400;
const SETTLED_MS = 5000;

const folder = mkdtempSync(`${tmpdir()}/modreg-bench-start-`);
const machine = await startAgent(folder, { withServer: true, interval: '5s' });
const names = [SERVER, ...PROGRAMS];
try {
  await Promise.all(names.map(async (name) => await nextStart(machine, name, [])));
  // Until each is in use, and no longer on trial.
  await sleep(SETTLED_MS);
  await machine.end();
  const first: number[] = [];
  const last: number[] = [];
  for (let round = 0; round < Number(rounds); round++) {
    const before = new Map(names.map((name) => [name, recorded(machine, name)]));
    const at = Date.now();
    const agent = spawn(AGENT, ['agent', 'run', `${folder}/machine.json`], {
      env: {
        PATH: process.env['PATH'],
        PLATFORM_HOME: `${folder}/home`,
        PLATFORM_AGENT_FAST_START: '1',
      },
      stdio: 'ignore',
    });
    const starts = await Promise.all(
      names.map(async (name) => await nextStart(machine, name, before.get(name) ?? [])),
    );
    const times = starts.map((start) => start.at - at);
    first.push(Math.min(...times));
    last.push(Math.max(...times));
    const ended = new Promise((resolve) => {
      agent.once('exit', resolve);
    });
    agent.kill();
    await ended;
  }
  const [toFirst, toLast] = [rounded(median(first)), rounded(median(last))];
  printRows([
    {
      measured: 'fast start, from exec to the start of platform-server, median',
      figure: `${toFirst} ms`,
      target: `≤ ${MOST_MS} ms`,
      isMet: toFirst <= MOST_MS,
    },
    { measured: 'the same to the last of ten modules, median', figure: `${toLast} ms` },
  ]);
} finally {
  await machine.stop();
  rmSync(folder, { recursive: true });
}
