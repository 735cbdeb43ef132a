import { systemClock } from '../../registry/clock.ts';
import type { ProgramCgroup } from './cgroup.ts';
import type { Followed } from './followed.ts';
import { killMarked } from './orphans.ts';
import { isGroupRunning, processes, signal } from './process-table.ts';
import { agentLine, type OutputLine } from './program-output.ts';

const POLL_MS = 10;

/** A program to stop. */
interface Stoppable {
  /** Of the program and of its process group. */
  readonly pid: number;
  readonly mark: string;
  readonly family: Followed;
  readonly ended: Promise<unknown>;
  readonly isAlive: () => boolean;
  readonly cgroup: ProgramCgroup | undefined;
  readonly onLine: (line: OutputLine) => void;
}

/** How a program ended after SIGTERM: by itself, or by SIGKILL once its time was over. */
export type StopResult = 'ended' | 'killed';

/** Returns how to end a program and all that it started. */
export function stopping(program: Stoppable): (graceMs: number) => Promise<StopResult> {
  let deadline = Infinity;
  let stopped: Promise<StopResult> | undefined;
  return async (graceMs) => {
    deadline = Math.min(deadline, systemClock.monotonic() + graceMs);
    stopped ??= stop(program, () => deadline);
    return await stopped;
  };
}

async function stop(program: Stoppable, deadline: () => number): Promise<StopResult> {
  const { mark, family, ended, cgroup, onLine } = program;
  // Once its parent has ended, a process in another session is found only if it was seen before.
  family.among(processes());
  // Once the program has ended, its id may belong to another group.
  const result = program.isAlive() ? await endGroup(program, deadline) : 'ended';
  cgroup?.kill();
  const { isOver } = await killMarked(mark, family);
  family.end();
  if (isOver) await ended;
  else onLine(agentLine('some of its processes survive SIGKILL'));
  await cgroup?.remove();
  return result;
}

async function endGroup(
  { pid, ended, isAlive }: Stoppable,
  deadline: () => number,
): Promise<StopResult> {
  signal(-pid, 'SIGTERM');
  // A stopped process gets SIGTERM once it continues.
  signal(-pid, 'SIGCONT');
  while (isAlive() || isGroupRunning(pid)) {
    const left = deadline() - systemClock.monotonic();
    if (left <= 0) {
      signal(-pid, 'SIGKILL');
      return 'killed';
    }
    const poll = systemClock.sleep(Math.min(POLL_MS, left));
    await (isAlive() ? Promise.race([ended, poll]) : poll);
  }
  return 'ended';
}
