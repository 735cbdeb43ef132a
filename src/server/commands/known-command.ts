import { LONGEST_HOLD_MS } from '../../core/decision/operator-hold.ts';
import { describeDuration, parseDuration } from '../../core/text/duration.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { CommandList, KnownCommand, NewCommand } from '../../registry/command-documents.ts';
import type { StoredCommand } from './command-table.ts';

/** What no machine could carry out (D294). */
export function commandFault({
  kind,
  module,
  for: term,
  version,
  signed,
}: NewCommand): string | undefined {
  const isOfMachine = kind === 'hold' || kind === 'unhold';
  const isLift = kind === 'unquarantine';
  if (module === null && !isOfMachine) return `/module: ${kind} needs the name of a module`;
  if (version === null && isLift) return `/version: ${kind} needs a version, such as 1.4.0`;
  if (version !== null && !isLift) return '/version: only unquarantine names a version';
  if (kind === 'hold' && signed) return '/signed: a hold needs no signature';
  if (kind !== 'hold') return term === null ? undefined : '/for: only a hold lasts a time';
  if (term === null) return '/for: a hold needs a duration, such as 12h';
  const ms = parseDuration(term);
  if (!ms.ok) return `/for: ${ms.error}`;
  if (ms.value > 0 && ms.value <= LONGEST_HOLD_MS) return undefined;
  const longest = describeDuration(LONGEST_HOLD_MS);
  return `/for: a hold lasts ${describeDuration(ms.value)}, expected more than 0 s and at most ${longest}`;
}

/** A command as its machine reads it. */
export function commandOf({ number, kind, signed, ...one }: StoredCommand): KnownCommand {
  return {
    number,
    kind,
    module: one.module ?? null,
    for: one.term ?? null,
    version: one.version ?? null,
    reason: one.reason,
    by: one.author,
    expires_at: formatTime(one.expiresAt),
    ...(signed && { signed: signedOf(signed) }),
  };
}

function signedOf({
  id,
  givenAt,
  signatures,
}: NonNullable<StoredCommand['signed']>): KnownCommand['signed'] {
  return { id, given_at: formatTime(givenAt), signatures };
}

/** A command with what became of it (D302). */
export function shownCommand(one: StoredCommand, now: number): CommandList['commands'][number] {
  const { outcome, expiresAt } = one;
  const unanswered = expiresAt > now ? 'waiting' : 'expired';
  return {
    ...commandOf(one),
    at: formatTime(one.at),
    state: outcome?.result ?? unanswered,
    detail: outcome?.detail ?? null,
    answered_at: outcome ? formatTime(outcome.at) : null,
  };
}
