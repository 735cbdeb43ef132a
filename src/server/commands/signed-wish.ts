import { formatTime, parseTime } from '../../core/text/rfc3339.ts';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import type { NewCommand } from '../../registry/command-documents.ts';
import { commandSigners, untimely } from '../../registry/trust/command-signatures.ts';
import type { CommandWish } from './command-table.ts';

/** When a command ends, and what operators signed of it. */
export function signedWish(
  { key: id, signed, expires_in: expiresIn }: Pick<NewCommand, 'key' | 'signed' | 'expires_in'>,
  now: number,
): Pick<CommandWish, 'expiresAt' | 'signed'> {
  if (!signed) return { expiresAt: now + expiresIn * 1000, signed: undefined };
  const { given_at: given, expires_at: end, signatures } = signed;
  return { expiresAt: timeIn(end), signed: { id, givenAt: timeIn(given), signatures } };
}

/** The reader of the request has taken it for a time. */
function timeIn(text: string): number {
  const time = parseTime(text);
  return time.ok ? time.value : Number.NaN;
}

/** What the machine would say of the signatures of a command (D396), by the text of the newest trust document of its registry. */
export function signedFault(
  { signed, at, ...wish }: CommandWish,
  newest: string | undefined,
): string | undefined {
  if (!signed) return undefined;
  const late = untimely({ ...wish, ...signed }, at, 'the registry');
  if (late !== undefined) return `/signed: ${late}`;
  const document = newest === undefined ? undefined : readTrustDocument(newest);
  if (!document?.ok) return '/signed: the registry has no trust document';
  const { expires } = document.value;
  if (expires <= at) return `/signed: the trust document expired at ${formatTime(expires)}`;
  const signers = commandSigners(document.value, { ...wish, ...signed });
  return signers.ok ? undefined : `/signed/signatures: ${signers.error}`;
}
