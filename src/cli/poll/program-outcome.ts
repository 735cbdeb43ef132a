import type { FailureReport } from '../../poller/index.ts';
import type { Ended } from './run-program.ts';

/** The exit codes below 128 that blame the machine: EX_TEMPFAIL of sysexits.h, and those of a shell that could not run a command. */
const MACHINE_CODES: ReadonlySet<number> = new Set([75, 126, 127]);
/** A shell exits with 128 and the number of the signal that ended its command. */
const FIRST_SIGNAL_CODE = 128;

/** The outcome of an action, by how its program ended: a failure, or undefined if it is done. */
export function failureOf(
  ended: Ended,
  lastLine: string | undefined,
): Pick<FailureReport, 'blame' | 'reason'> | undefined {
  switch (ended.kind) {
    case 'not-started':
      return { blame: 'machine', reason: `the program cannot be started: ${ended.why}` };
    case 'left':
      return { blame: 'machine', reason: 'the program runs on, as another user' };
    case 'killed':
      return {
        blame: 'machine',
        reason: withLast(`the program was killed by ${ended.by}`, lastLine),
      };
    case 'exited': {
      const { code } = ended;
      if (code === 0) return undefined;
      const isMachine = MACHINE_CODES.has(code) || code >= FIRST_SIGNAL_CODE;
      const reason = lastLine ?? `the program exited with ${code} and wrote nothing to stderr`;
      return { blame: isMachine ? 'machine' : 'release', reason };
    }
  }
}

function withLast(reason: string, lastLine: string | undefined): string {
  return lastLine === undefined ? reason : `${reason}; its last line: ${lastLine}`;
}
