import { expect, it, onTestFinished } from 'vitest';
import { carryOut } from '../../src/cli/poll/carry-out.ts';
import { programRecord } from '../../src/cli/poll/earlier-program.ts';
import { PollReport } from '../../src/cli/poll/poll-report.ts';
import type { Delivery } from '../../src/poller/index.ts';
import { claimed, commitOne } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { script } from '../support/polling.ts';
import { needs } from '../support/prerequisite.ts';
import { quietWorld } from '../support/quiet-world.ts';

/** Calls `act` without the privileges of root. */
function unprivileged(act: () => void): void {
  process.seteuid?.(65_534);
  try {
    act();
  } finally {
    process.seteuid?.(0);
  }
}

it('[T352] the next poller knows the program that a second signal has left', async (context) => {
  needs(context, process.getuid?.() === 0, 'only root can run a program as another user');
  const folder = temporaryFolder();
  const file = claimed();
  const reported: unknown[] = [];
  const report = async (outcome: unknown): Promise<void> => {
    reported.push(outcome);
    await Promise.resolve();
  };
  // A cast: a program is run with these fields of a delivery.
  const delivery = {
    action: commitOne(file.state),
    times: 1,
    entry: undefined,
    environment: { ok: true, value: {} },
    folders: { root: undefined, data: undefined },
    signal: new AbortController().signal,
    done: async () => await report('done'),
    failed: report,
  } as unknown as Delivery;
  const ready = Promise.withResolvers<void>();
  const log = (_stream: string, line: string): void => {
    if (line.endsWith('ready')) ready.resolve();
  };
  const world = { ...quietWorld('linux/x64'), environment: { PATH: '/usr/bin:/bin' }, log };
  const record = programRecord(`${folder}/record`);
  const [stopping, killing] = [new AbortController(), new AbortController()];
  const other = 'setpriv --reuid=12345 --regid=12345 --clear-groups';
  const ended = carryOut(delivery, {
    program: script(
      `${folder}/hook`,
      `exec ${other} sh -c 'echo ready; exec sleep 1000' 2>/dev/null`,
    ),
    prepare: undefined,
    timeoutMs: 90_000,
    file,
    record,
    report: new PollReport({}, () => undefined, world),
    world,
    stopping: stopping.signal,
    killing: killing.signal,
  });
  await ready.promise;
  const program = record.earlier() ?? NaN;
  onTestFinished(() => void process.kill(program, 'SIGKILL'));
  for (const one of [stopping, killing]) unprivileged(() => one.abort());
  await ended;
  expect([reported, record.earlier()]).toEqual([[], program]);
});
