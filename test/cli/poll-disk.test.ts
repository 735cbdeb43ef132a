import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { watchDisk } from '../../src/cli/poll/watched-disk.ts';
import { keepReserve } from '../../src/store/reserve.ts';
import type { ClaimedFile } from '../../src/store/index.ts';
import { machinePage, textOf } from '../page/support/machine-page.ts';
import { claimed } from '../support/claimed.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { logged } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

/** The state of a machine on a disk of 8 MiB, after a round. */
function stateOnDisk(context: TestContext): ClaimedFile {
  const home = `${temporaryFolder()}/home`;
  smallDisk(context, home, '8m');
  const file = claimed(`${home}/machine.db`);
  file.state.log([logged('acme_lidar')], { at: Date.now(), trouble: 'the registry is down' });
  return file;
}

const MACHINE = { modules: [entry('acme:lidar', '1.*')] };
const THEN =
  'modules keep running and are started again, and nothing is installed: free some space';

it('[T344] the log says once that the disk is full, and that it has space again', async (context) => {
  const file = stateOnDisk(context);
  const home = dirname(file.path);
  const ended = new AbortController();
  const happens = [
    () => fillDisk(`${home}/filling`),
    () => undefined,
    () => rmSync(`${home}/filling`),
    () => ended.abort(),
  ];
  const clock = {
    sleep: async () => {
      happens.shift()?.();
      return await Promise.resolve();
    },
  };
  const lines: string[] = [];
  const note = (level: string, text: string): void => void lines.push(`${level} ${text}`);
  await watchDisk(file, note, { clock, signal: ended.signal });
  expect(lines).toEqual([
    `error the disk of "${home}" is full: 0 KiB free, and 1 MiB is kept for the state of this machine; ${THEN}`,
    `info the disk of "${home}" has space again`,
  ]);
});

it.for<[string, boolean, string]>([
  ['with the reserve', true, '1 MiB is kept for the state of this machine'],
  ['without it', false, 'nothing is kept for the state of this machine any more'],
])(
  '[T344] status, agent status and the page say that the disk is full, %s',
  async ([, isReserved, kept], context) => {
    const file = stateOnDisk(context);
    const home = dirname(file.path);
    const page = machinePage({ home, now: Date.now(), machine: MACHINE });
    if (isReserved) keepReserve(file);
    fillDisk(`${home}/filling`);
    const environment = { PLATFORM_HOME: home };
    const full = `the registry is down; the disk of "${home}" is full: 0 KiB free, and ${kept}; ${THEN}`;
    const status = await printed(['status'], { environment });
    expect(status.stdout[0]).toBe(
      `process ${process.pid} polls for this machine; last round 0 s ago; ${full}`,
    );
    const ofAgent = await printed(['agent', 'status'], { environment });
    expect(ofAgent.stderr).toEqual([full]);
    expect((await textOf(page, '/')).join('\n')).toContain(full);
  },
);

it('[T344] a command that only reads says who has the state of a machine whose disk is full', async (context) => {
  const first = stateOnDisk(context);
  const home = dirname(first.path);
  first.close();
  fillDisk(`${home}/filling`);
  claimed(first.path);
  const { stderr } = await printed(['agent', 'status'], { environment: { PLATFORM_HOME: home } });
  expect(stderr).toEqual([
    `error[LOCKED]: "${home}/machine.db": its disk is full, so the process that uses it, such as the agent, has it for itself; nothing is lost: free some space`,
  ]);
});
