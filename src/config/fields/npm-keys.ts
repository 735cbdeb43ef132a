import * as v from 'valibot';
import type { NpmKey } from '../../core/machine/update-policy.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { parseTime } from '../../core/text/rfc3339.ts';
import { badValue, type Fault } from '../fault.ts';
import { fields, listOf, oneOf, parsedText, reading, type Schema } from './fields.ts';

/** More than any registry had. */
const MOST_KEYS = 50;
/** Of what is no key. The first bytes of a private one are no secret. */
const SHOWN = 8;
const KEYID = /^[!-~]{1,100}$/;
/**
 * An EC key of P-256 that is not compressed (RFC 5480), and the 64 bytes of its point in base64. The last of its digits has no bits to
 * spare, so that a key has one text.
 */
const P256 = /^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z0-9+/]{85}[AQgw]==$/;

/** The prime and the constant of the curve P-256 (FIPS 186-4, D.1.2.3). */
const PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

const keyid: Schema<string> = parsedText(
  'the keyid of a key',
  (text) => {
    if (KEYID.test(text)) return { ok: true, value: text };
    const expected = 'expected 1 to 100 characters of ASCII without spaces';
    return { ok: false, error: badValue(`${quote(excerpt(text))} is not a keyid, ${expected}`) };
  },
  { pattern: KEYID.source },
);

const key: Schema<string> = parsedText(
  'a public key',
  (text) => {
    const fault = faultOf(text);
    return fault === undefined ? { ok: true, value: text } : { ok: false, error: badValue(fault) };
  },
  { pattern: P256.source },
);

/** Why `text` is no public key of P-256, undefined if it is one (D201). */
function faultOf(text: string): string | undefined {
  if (!P256.test(text)) {
    // Not quoted: it may be a private key.
    const start = quote(text.slice(0, SHOWN));
    return `found ${text.length} characters that begin with ${start}, expected a public key of the curve P-256 as SPKI in base64: 124 characters that begin with MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE`;
  }
  const bytes = Array.from(atob(text), (one) => one.charCodeAt(0).toString(16).padStart(2, '0'));
  const hex = bytes.join('').slice(-128);
  const [x, y] = [BigInt(`0x${hex.slice(0, 64)}`), BigInt(`0x${hex.slice(64)}`)];
  const isOnCurve = x < PRIME && y < PRIME && (y * y - (x * x * x - 3n * x + B)) % PRIME === 0n;
  return isOnCurve ? undefined : 'the key is no point of the curve P-256; copy it again';
}

const time: Schema<number> = parsedText(
  'a time or null',
  (text) => {
    const read = parseTime(text);
    if (read.ok) return read;
    const { message, expected } = read.error;
    return { ok: false, error: badValue(`${message}, expected ${expected} or null`) };
  },
  { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}' },
);

/** A key as `/-/npm/v1/keys` has it. */
const npmKey: Schema<NpmKey> = v.pipe(
  fields({
    keyid,
    key,
    keytype: v.optional(oneOf(['ecdsa-sha2-nistp256'])),
    scheme: v.optional(oneOf(['ecdsa-sha2-nistp256'])),
    expires: v.optional(v.nullable(time)),
  }),
  reading(({ expires, ...named }): Result<NpmKey, Fault> => {
    const own = { keyid: named.keyid, key: named.key };
    return { ok: true, value: typeof expires === 'number' ? { ...own, expires } : own };
  }),
);

/** The public keys of npm registries. A name has one key (D201). */
export const npmKeys: Schema<readonly NpmKey[]> = v.pipe(
  listOf(npmKey, 'a list of keys'),
  reading((keys): Result<readonly NpmKey[], Fault> => {
    if (keys.length > MOST_KEYS) {
      const message = `found ${keys.length} keys, expected at most ${MOST_KEYS}`;
      return { ok: false, error: { kind: 'out-of-range', message } };
    }
    const names = keys.map((one) => one.keyid);
    const repeated = names.find((name, place) => names.indexOf(name) !== place);
    if (repeated === undefined) return { ok: true, value: keys };
    return {
      ok: false,
      error: badValue(`the keyid ${quote(repeated)} is there twice, expected one key for it`),
    };
  }),
);
