/** How a program ended. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | {
      readonly kind: 'killed';
      readonly by: NodeJS.Signals;
      /** Whether the system killed it to free memory; undefined if that cannot be known. */
      readonly isOutOfMemory: boolean | undefined;
    };

/** How a program ended, in words that follow its name. */
export function describeEnd(end: ProgramEnd): string {
  if (end.kind === 'exited') return `it ended with exit code ${end.code}`;
  const { by, isOutOfMemory } = end;
  if (by !== 'SIGKILL') return `it was killed by ${by}`;
  // Only cgroups tell why.
  if (isOutOfMemory === undefined) return 'it was killed by SIGKILL, cause unknown';
  return isOutOfMemory
    ? 'the system killed it because memory was short'
    : 'it was killed by SIGKILL, not because memory was short';
}
