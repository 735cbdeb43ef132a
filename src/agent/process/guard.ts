import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { MARK } from './process-table.ts';

/** Ends the mark of each process that this agent starts, so that its guard does not kill those of the next agent. */
export const AGENT_ID: string = randomUUID();

/**
 * Waits until the agent has closed its end of the pipe, which the kernel does as well. Then kills what the agent started:
 * marked processes, and their process groups. The kernel itself kills only the first process of each module.
 */
const GUARD = `
trap '' HUP INT TERM
read -r _
for attempt in 1 2 3 4 5 6 7 8 9; do
  found=$(grep -slz "^${MARK}=.*$0\\$" /proc/[0-9]*/environ)
  [ "$found" ] || exit 0
  for file in $found; do
    process=\${file%/environ}
    group=$(sed -n 's/^NSpgid:[^0-9]*\\([0-9]*\\).*/\\1/p' "$process/status")
    [ "\${group:-0}" -gt 1 ] && kill -KILL "-$group"
    kill -KILL "\${process#/proc/}"
  done
done 2>/dev/null
`;

let isGuarded = false;

/** Starts the guard of this agent, unless it runs. It ends with the agent. */
export function guardPrograms(): void {
  if (isGuarded) return;
  isGuarded = true;
  const guard = spawn('/bin/sh', ['-c', GUARD, AGENT_ID], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const end = (): void => {
    isGuarded = false;
  };
  guard.once('error', end);
  guard.once('exit', end);
  // Neither it nor the pipe keeps the agent alive.
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.on('error', () => undefined).unref();
}
