import { formatTime } from '../../core/text/rfc3339.ts';
import type { SignedCommand } from '../../core/trust/command-text.ts';
import { LONGEST_EXPIRY_S } from '../../registry/command-documents.ts';

/** What a machine remembers of signed commands (D395). Times are milliseconds since the epoch, by its own clock. */
export interface SignedRecord {
  /** Since when: it may have taken what was given before. */
  readonly since: number;
  /** The latest end of those that it has dropped. */
  readonly dropped: number;
  readonly taken: readonly SignedId[];
}

interface SignedId {
  readonly id: string;
  readonly ends: number;
}

/** More than a registry gives a machine in the time that a command can last. */
const MOST_TAKEN = 1000;

export function recordSince(now: number): SignedRecord {
  return { since: now, dropped: 0, taken: [] };
}

/** A record that began by more than a day later than now began by a clock that was wrong (T790): no command can last so long. */
export function withoutFuture(record: SignedRecord, now: number): SignedRecord {
  return record.since > now + LONGEST_EXPIRY_S * 1000 ? { ...record, since: now } : record;
}

/** With a command that is taken now. Those that have ended are dropped; beyond the bound also those that end first. */
export function withSigned(record: SignedRecord, one: SignedId, now: number): SignedRecord {
  const all = [...record.taken, one].toSorted((a, b) => b.ends - a.ends);
  const taken = all.filter(({ ends }) => ends > now).slice(0, MOST_TAKEN);
  const gone = all.slice(taken.length).map(({ ends }) => ends);
  return { ...record, taken, dropped: Math.max(record.dropped, ...gone) };
}

/** Why the machine may have taken a signed command before, under whatever number; undefined if it has not. */
export function repeated(
  { since, dropped, taken }: SignedRecord,
  { id, givenAt, expiresAt }: Pick<SignedCommand, 'id' | 'givenAt' | 'expiresAt'>,
): string | undefined {
  if (taken.some((one) => one.id === id)) return 'the machine has taken this command before';
  if (givenAt <= since) {
    return `it was given at ${formatTime(givenAt)}, and the machine remembers signed commands since ${formatTime(since)}`;
  }
  if (expiresAt > dropped) return undefined;
  return `the machine no longer remembers signed commands that end by ${formatTime(dropped)}`;
}
