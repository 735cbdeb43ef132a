/** How a program ended. */
export type ProgramEnd =
  | {
      readonly kind: 'exited';
      readonly code: number;
      /** How many processes it left. */
      readonly left: number;
    }
  | {
      readonly kind: 'killed';
      readonly by: NodeJS.Signals;
      /** Whether the system killed it to free memory; undefined if that cannot be known. */
      readonly isOutOfMemory: boolean | undefined;
    };

/** How a program ended, in words that follow its name. */
export function describeEnd(end: ProgramEnd): string {
  if (end.kind === 'exited') {
    const { code, left } = end;
    const how = `it ended with exit code ${code}`;
    // A failure has its own reason, whatever it left.
    return code === 0 && left > 0 ? `${how} and ${backgroundOf(left)}` : how;
  }
  const { by, isOutOfMemory } = end;
  if (by !== 'SIGKILL') return `it was killed by ${by}`;
  // Only cgroups tell why.
  if (isOutOfMemory === undefined) return 'it was killed by SIGKILL, cause unknown';
  return isOutOfMemory
    ? 'the system killed it because memory was short'
    : 'it was killed by SIGKILL, not because memory was short';
}

/** What a daemon did, and what to do about it (T351). */
function backgroundOf(left: number): string {
  const what = left === 1 ? '1 process, which is' : `${left} processes, which are`;
  return `left ${what} killed: a module must stay in the foreground, so start its program without going to the background`;
}
