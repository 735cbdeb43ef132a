import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { MARK, type Process } from './process-table.ts';

/** Ends the mark of each process that this agent starts, so that its guard does not kill those of the next agent. */
export const AGENT_ID: string = randomUUID();

/**
 * Waits until the agent has closed its end of the pipe, which the kernel does as well. Then kills what the agent started:
 * marked processes, those that the last line names by their ids and start times, what is in their sessions, and what they have
 * started. The kernel itself kills only the first process of each module.
 */
const GUARD = `
trap '' HUP INT TERM
known=' '
while read -r line; do known=" $line "; done
for attempt in 1 2 3 4 5 6 7 8 9; do
  table=
  running=' '
  for file in /proc/[0-9]*/stat; do
    stat=
    while read -r part; do stat="$stat $part"; done <"$file"
    process=\${file%/stat}
    set -- \${stat##*) }
    case $1 in [!ZX]) ;; *) continue ;; esac
    running="$running\${process#/proc/} "
    table="$table \${process#/proc/} $2 $4 \${20}"
  done
  own=' '
  for file in $(grep -slz "^${MARK}=.*$0\\$" /proc/[0-9]*/environ); do
    process=\${file%/environ}
    own="$own\${process#/proc/} "
  done
  before=
  while [ "$before" != "$own" ]; do
    before=$own
    set -- $table
    while [ $# -gt 0 ]; do
      case $own in
        *" $1 "*) ;;
        *" $2 "* | *" $3 "*) own="$own$1 " ;;
        *) case $known in
          *" $1:$4 "*) own="$own$1 " ;;
          *" $3:"*) case $running in *" $3 "*) ;; *) own="$own$1 " ;; esac ;;
        esac ;;
      esac
      shift 4
    done
  done
  [ "$own" = ' ' ] && exit 0
  kill -KILL $own
done 2>/dev/null
`;

let guard: Socket | undefined;

/** Starts the guard of this agent, unless it runs. It ends with the agent. */
export function guardPrograms(): void {
  if (guard) return;
  const child = spawn('/bin/sh', ['-c', GUARD, AGENT_ID], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const end = (): void => {
    guard = undefined;
  };
  child.once('error', end);
  child.once('exit', end);
  // Neither it nor the pipe keeps the agent alive.
  child.unref();
  if (!(child.stdin instanceof Socket)) return;
  guard = child.stdin;
  guard.on('error', () => undefined).unref();
  guard.write(told);
}

let told = '';

/** Tells the guard which processes there are now. What it was told before no longer counts. */
export function tellGuard(running: readonly Process[]): void {
  const line = `${running.map(({ pid, startedAt }) => `${pid}:${startedAt}`).join(' ')}\n`;
  if (line === told) return;
  told = line;
  guard?.write(line);
}
