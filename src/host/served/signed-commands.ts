import type { Result } from '../../core/index.ts';
import type { ClockReading } from '../../core/decision/operator-hold.ts';
import { certainTime } from '../../core/releases/certain-time.ts';
import { quote } from '../../core/text/quote.ts';
import { isRandomId } from '../../core/text/random-id.ts';
import { formatTime, parseTime } from '../../core/text/rfc3339.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import type { KnownCommand } from '../../registry/command-documents.ts';
import {
  commandSigners,
  untimely,
  type CommandWithSignatures,
} from '../../registry/trust/command-signatures.ts';
import {
  recordSince,
  repeated,
  withoutFuture,
  withSigned,
  type SignedRecord,
} from './signed-record.ts';

/** What says whether a machine may take a signed command. */
export interface Verifying {
  readonly machine: string;
  /** Undefined until the machine has had a clock that is right. */
  readonly record: SignedRecord | undefined;
  readonly reading: () => ClockReading;
  /** The trust document that its policy names. */
  readonly trust: () => Promise<
    Result<Pick<TrustDocument, 'name' | 'operator' | 'expires'>, string>
  >;
}

/** A signed command that the machine takes: what it then remembers, and the keys that signed it. */
interface Verified {
  readonly record: SignedRecord;
  readonly signers: readonly string[];
}

/** No operator signed a command before: a clock that shows an earlier time was not set. */
const EARLIEST_CLOCK = Date.UTC(2026, 0, 1);
const UNCERTAIN =
  'the clock of the machine is not certain, so that it cannot know whether the command is a new one';

/** The time by the clock of the machine; undefined if that is not certain (D394). */
function timeIn(reading: ClockReading): number | undefined {
  const now = certainTime(reading);
  return now >= EARLIEST_CLOCK ? now : undefined;
}

/** What a machine with a pin remembers from its first round with a certain clock on; one without a pin takes commands that it does not note. */
export function recordAt(
  record: SignedRecord | undefined,
  reading: ClockReading,
  isPinned: boolean,
): SignedRecord | undefined {
  if (!isPinned) return undefined;
  const now = timeIn(reading);
  if (now === undefined) return record;
  return record ? withoutFuture(record, now) : recordSince(now);
}

/** Whether operators signed this command for this machine, and it is new (D393 to D395); the error is why it is not taken. */
export async function verified(
  command: KnownCommand,
  { machine, record, reading, trust }: Verifying,
): Promise<Result<Verified, string>> {
  const read = signedIn(command, machine);
  if (!read.ok) return read;
  const signed = read.value;
  const document = await trust();
  if (!document.ok) return document;
  const now = timeIn(reading());
  if (now === undefined || !record) return { ok: false, error: UNCERTAIN };
  const { expires } = document.value;
  if (expires <= now) {
    return { ok: false, error: `the trust document expired at ${formatTime(expires)}` };
  }
  const signers = commandSigners(document.value, signed);
  if (!signers.ok) return signers;
  const why = untimely(signed, now, 'the machine') ?? repeated(record, signed);
  if (why !== undefined) return { ok: false, error: why };
  const next = withSigned(record, { id: signed.id, ends: signed.expiresAt }, now);
  return { ok: true, value: { record: next, signers: signers.value } };
}

/** What its signatures are over; the error is that it has none, or what is malformed. */
function signedIn(
  { signed, kind, module, version, reason, expires_at: end }: KnownCommand,
  machine: string,
): Result<CommandWithSignatures, string> {
  if (!signed) return { ok: false, error: 'none did' };
  const { id, signatures } = signed;
  if (!isRandomId(id)) {
    return { ok: false, error: `its id is ${quote(id)}, expected 16 bytes in base64url` };
  }
  const givenAt = parseTime(signed.given_at);
  if (!givenAt.ok) return malformedTime('was given at', signed.given_at);
  const expiresAt = parseTime(end);
  if (!expiresAt.ok) return malformedTime('expires at', end);
  const of = { machine, id, kind, module: module ?? undefined, version: version ?? undefined };
  const times = { givenAt: givenAt.value, expiresAt: expiresAt.value };
  return { ok: true, value: { ...of, reason, signatures, ...times } };
}

function malformedTime(what: string, found: string): Result<never, string> {
  return { ok: false, error: `it ${what} ${quote(found)}, expected a time` };
}
