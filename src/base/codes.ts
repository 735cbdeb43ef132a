import type { DocumentWarningKind } from '../config/document-problem.ts';

/**
 * Every kind of error, with the exit code of a process whose first error it is. A kind is printed in
 * SCREAMING_SNAKE_CASE.
 */
export const EXIT_CODES = {
  'no-match': 1,
  'pin-not-published': 1,
  'conflicting-digest': 1,
  'no-artifact': 1,
  'untrusted-artifact': 1,
  'not-yet-published': 1,
  'digest-changed': 1,
  'refused-by-site': 1,
  quarantined: 1,
  'requirement-unmet': 1,
  'behind-floor': 1,
  unsigned: 1,
  'bad-signature': 1,
  'deployed-unknown': 1,
  'bad-json': 1,
  'too-large': 1,
  'duplicate-key': 1,
  'forbidden-key': 1,
  missing: 1,
  'bad-type': 1,
  'bad-value': 1,
  'out-of-range': 1,
  'duplicate-name': 1,
  'unknown-reference': 1,
  cycle: 1,
  'model-mismatch': 1,
  'unknown-field': 1,
  'unset-variable': 1,
  'forbidden-variable': 1,
  permissions: 1,
  'already-published': 1,
  'unusable-package': 1,
  'unknown-version': 1,
  'unknown-rollout': 1,
  'rollout-conflict': 1,
  'unknown-config': 1,
  'stale-config': 1,
  'older-machines': 1,
  'older-front': 1,
  'unknown-token': 1,
  'not-recorded': 1,
  held: 1,
  damaged: 1,
  'board-failed': 1,
  'not-applied': 1,
  'bad-constraint': 2,
  'bad-version': 2,
  'bad-module-id': 2,
  'bad-platform': 2,
  'bad-time': 2,
  'bad-address': 2,
  usage: 2,
  'unreadable-file': 2,
  'no-registry': 2,
  'unknown-module': 3,
  'registry-unreachable': 4,
  'registry-timeout': 4,
  'registry-refused': 4,
  'registry-busy': 4,
  'not-a-registry': 4,
  'list-too-large': 4,
  'bad-redirect': 4,
  'bad-certificate': 4,
  'registry-regressed': 4,
  'registry-implausible': 4,
  'registry-untrusted': 4,
  'trust-expired': 4,
  'list-stale': 4,
  'node-too-old': 69,
  locked: 70,
  'state-unreadable': 70,
  'state-write': 70,
  internal: 70,
} as const;

export type ErrorKind = keyof typeof EXIT_CODES;
export type WarningKind =
  | 'ignored-entries'
  | 'yanked'
  | 'deprecated'
  | 'stale-list'
  | 'untrusted-artifact'
  | 'unknown-reference'
  | 'ahead'
  | 'downgrade'
  | 'deployed-yanked'
  | 'deployed-refused'
  | 'deployed-not-a-version'
  | 'pin-not-published'
  | 'unverified-download'
  | 'trust-expires'
  | 'follows-site'
  | 'config-refused'
  | 'rollout-bypassed'
  | 'floor-bypassed'
  | 'failed-in-another-entry'
  | 'undecided'
  | 'requirement-unreachable'
  | 'breaks-requirement'
  | 'requires-cycle'
  | 'excluding-entries'
  | 'platform-missing'
  | 'zero-major'
  | 'machine-id-unknown'
  | 'list-near-limit'
  | 'list-too-large'
  | 'locked'
  | 'state-unreadable'
  | 'state-write'
  | DocumentWarningKind;

/** The meaning of each exit code. */
export const EXIT_MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, 'success'],
  [
    1,
    'the answer is "no", a document has errors, whatever their codes, or a check of doctor finds an error',
  ],
  [2, 'the command cannot run: wrong arguments, an unreadable file, or no registry'],
  [3, 'the registry does not have the module'],
  [
    4,
    'the registry does not answer, or its answer is refused, and no saved list can be used instead',
  ],
  [10, 'with --exit-code: a replacement or a restart is due or held'],
  [11, 'with replay: the decision is another one than the recorded one'],
  [
    12,
    'with status --exit-code: a module is stuck, or no process polls for the machine, or its last round is old',
  ],
  [69, 'Node is too old, or there is none'],
  [70, "internal error, or the machine's state or a registry file cannot be read or written"],
  [130, 'interrupted'],
  [141, 'the reader of stdout closed it early'],
]);

/** The printed form of a kind: `no-match` is `NO_MATCH`. */
export function printedCode(kind: ErrorKind | WarningKind): string {
  return kind.toUpperCase().replaceAll('-', '_');
}

/** The printed codes of the errors that exit with `exitCode`. */
export function codesOf(exitCode: number): string[] {
  return Object.entries(EXIT_CODES).flatMap(([kind, exit]) =>
    exit === exitCode ? [printedCode(kind as ErrorKind)] : [],
  );
}
