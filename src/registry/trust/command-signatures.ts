import type { Result } from '../../core/index.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { commandText, type SignedCommand } from '../../core/trust/command-text.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { LONGEST_EXPIRY_S } from '../command-documents.ts';
import { operatorsOver } from './operator-signatures.ts';

/** A command with the signatures of operators, by the ids of their keys. */
export interface CommandWithSignatures extends SignedCommand {
  readonly signatures: Readonly<Record<string, string>>;
}

/** The ids of the keys of operators that signed a command; the error is why these are not enough (D393). */
export function commandSigners(
  document: Pick<TrustDocument, 'name' | 'operator'>,
  { signatures, ...command }: CommandWithSignatures,
): Result<readonly string[], string> {
  const { name, operator } = document;
  if (!operator) return { ok: false, error: `the trust document ${name} names no operator` };
  const signers = operatorsOver(document, commandText(name, command), signatures);
  if (signers.length >= operator.threshold) return { ok: true, value: signers };
  const wrong = Object.keys(signatures).find((id) => !signers.includes(id));
  const error =
    wrong === undefined
      ? `it has ${signers.length} of ${operator.threshold} signatures of operators`
      : `the signature of the key ${excerpt(wrong)} is not one of an operator over this command`;
  return { ok: false, error };
}

const LONGEST_MS = LONGEST_EXPIRY_S * 1000;
/** Clocks that differ by less agree. */
const MOST_APART_MS = 5 * 60_000;

/** Why a signed command may not be taken when the clock of `whose` says `now`; undefined if it may (D394). */
export function untimely(
  { givenAt, expiresAt }: Pick<SignedCommand, 'givenAt' | 'expiresAt'>,
  now: number,
  whose: string,
): string | undefined {
  const says = `the clock of ${whose} says ${formatTime(now)}`;
  // A time that cannot be read is no time at which it may be taken.
  if (!(expiresAt > now)) return `it expired at ${formatTime(expiresAt)}, and ${says}`;
  if (!(givenAt <= now + MOST_APART_MS)) {
    return `it was given at ${formatTime(givenAt)}, and ${says}`;
  }
  const longest = `expected at most ${describeDuration(LONGEST_MS)}`;
  const ms = expiresAt - givenAt;
  return ms <= LONGEST_MS ? undefined : `it lasts ${describeDuration(ms)}, ${longest}`;
}
