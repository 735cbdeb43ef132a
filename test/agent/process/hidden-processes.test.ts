import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { familyOf } from '../../../src/agent/process/family.ts';
import { launch, type RunningProgram } from '../../../src/agent/process/launch.ts';
import type { Process } from '../../../src/agent/process/process-table.ts';
import { fakeStart } from '../support/fake-start.ts';
import { processesWith } from '../support/processes-with.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/modreg.ts';

let workers = 0;

/** An argument of `sleep` that no other process has. Nothing that has it is left after the test. */
function workerId(): string {
  const seconds = `1000.${process.pid}${++workers}`;
  onTestFinished(() => {
    for (const pid of processesWith(seconds)) process.kill(pid, 'SIGKILL');
  });
  return seconds;
}

/** Its environment has no mark. */
function worker(seconds: string): string {
  return `env -i sleep ${seconds} >/dev/null 2>&1`;
}

async function launched(script: string): Promise<RunningProgram> {
  const { start } = fakeStart([], { path: '/bin/sh', arguments: ['-c', script] });
  const result = await launch(start);
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

async function untilRuns(seconds: string): Promise<void> {
  await vi.waitUntil(() => processesWith(seconds).some((pid) => pid > 0), { timeout: 20_000 });
}

describe('[T345] a worker without the environment of its module', () => {
  it('ends with a start script that has ended by itself', async () => {
    const seconds = workerId();
    const { ended, stop } = await launched(`${worker(seconds)} & exit 3`);
    expect(await ended).toEqual({ kind: 'exited', code: 3, left: 1 });
    await stop(20_000);
    expect(processesWith(seconds)).toEqual([]);
  });

  it('ends with a start script that is stopped, also in another session', async () => {
    const seconds = workerId();
    const { stop } = await launched(`setsid ${worker(seconds)} & wait`);
    await untilRuns(seconds);
    expect(await stop(20_000)).toBe('ended');
    expect(processesWith(seconds)).toEqual([]);
  });

  it('is remembered in another session, once it was seen there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const go = `${temporaryFolder()}/go`;
    const seconds = workerId();
    const script = `setsid ${worker(seconds)} & until [ -e ${go} ]; do sleep 0.01; done`;
    const { ended, stop } = await launched(script);
    await untilRuns(seconds);
    vi.advanceTimersByTime(250);
    writeFileSync(go, '');
    expect(await ended).toEqual({ kind: 'exited', code: 0, left: 1 });
    vi.useRealTimers();
    await stop(20_000);
    expect(processesWith(seconds)).toEqual([]);
  });

  it('does not outlive an agent that is killed', async () => {
    const seconds = workerId();
    const script = `${worker(seconds)} & wait`;
    const agent = spawn(process.execPath, [`${ROOT}test/agent/support/launch-script.ts`, script]);
    onTestFinished(() => void agent.kill('SIGKILL'));
    await untilRuns(seconds);
    agent.kill('SIGKILL');
    await expect.poll(() => processesWith(seconds), { timeout: 20_000 }).toEqual([]);
  });
});

function processAt(pid: number, more: Partial<Process> = {}): Process {
  return { pid, parent: 1, group: pid, session: pid, startedAt: '100', ...more };
}

describe('[T345] what belongs to a program that was process 10', () => {
  it.each<[string, readonly Process[], readonly number[]]>([
    ['itself', [processAt(10)], [10]],
    ['no other process with its id', [processAt(10, { startedAt: '101' })], []],
    [
      'what it has started',
      [processAt(11, { parent: 12 }), processAt(12, { parent: 10 }), processAt(10)],
      [10, 12, 11],
    ],
    ['what is left in its session', [processAt(11, { session: 10 })], [11]],
    [
      'what others in its session have left, while it runs',
      [processAt(11, { session: 10 }), processAt(10)],
      [10, 11],
    ],
    [
      'nothing in a session of another process with its id',
      [processAt(10, { startedAt: '101' }), processAt(11, { session: 10 })],
      [],
    ],
    ['not what others have started', [processAt(11)], []],
  ])('%s', (_, table, expected) => {
    const found = familyOf(processAt(10)).among(table);
    expect(found.map(({ pid }) => pid)).toEqual(expected);
  });

  it('not a later session with its id, once its own was empty', () => {
    const family = familyOf(processAt(10));
    expect(family.among([processAt(20)])).toEqual([]);
    expect(family.among([processAt(11, { session: 10 })])).toEqual([]);
  });
});
