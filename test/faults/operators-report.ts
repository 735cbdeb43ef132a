import { existsSync, readFileSync } from 'node:fs';

/** What operators know of a version: `refused` without an end, `rolled back` for all versions of the rollback. */
export type Expected = 'refused' | 'rolled back' | 'absent' | 'unknown';

/** What a machine's operators and pollers left. */
export interface Report {
  /** By the module and the version. The version `*` stands for any one. */
  readonly quarantine: Readonly<Record<string, Expected>>;
  readonly findings: readonly string[];
  readonly counts: Readonly<Record<'done' | 'refused' | 'unanswered' | 'pollers', number>>;
}

/** The arguments of the poller of the machine in `folder`. */
export function pollArguments(folder: string): string[] {
  const terms = ['--platform', 'linux/arm64', '--interval', '5s'];
  return ['poll', `${folder}/machine.json`, ...terms, '--exec', `${folder}/program`];
}

/** What the poller's program did: the id of the action, the module entry and the version, each time. */
export function carriedOut(folder: string): string[] {
  const path = `${folder}/carried-out`;
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}
