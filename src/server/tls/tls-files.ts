import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Result } from '../../core/index.ts';
import { unreadableWords } from '../../core/text/file-words.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { privateKeyIn } from './private-key.ts';

/** The paths of a certificate and its private key, in PEM. */
export interface TlsFiles {
  /** The certificate of the server, followed by those of the authorities between it and a trusted one. */
  readonly certificate: string;
  /** Its private key, without a passphrase. */
  readonly key: string;
}

/** A certificate and its private key, which belong together. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When the certificate is valid, in milliseconds since the epoch. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** A chain has a few kilobytes. */
const LARGEST_FILE = 1024 * 1024;
const WORLD = 0o007;

/** Reads both files; otherwise one escaped line that says which is wrong. It contains nothing of the key. */
export function readTlsPair({ certificate, key }: TlsFiles): Result<TlsPair, string> {
  const [certName, keyName] = [`the certificate ${quote(certificate)}`, `the key ${quote(key)}`];
  const [certText, keyText] = [contentOf(certificate, certName), contentOf(key, keyName)];
  if (!certText.ok) return certText;
  if (!keyText.ok) return keyText;
  const pair = { cert: certText.value, key: keyText.value };
  const noCertificate = `${certName} contains no PEM certificate`;
  const parsed = attempt(() => new X509Certificate(pair.cert), noCertificate);
  if (!parsed.ok) return parsed;
  const noKey = `${keyName} contains no PEM private key without a passphrase`;
  const secret = attempt(() => privateKeyIn(pair.key), noKey);
  if (!secret.ok) return secret;
  if (!parsed.value.checkPrivateKey(secret.value)) {
    return { ok: false, error: `${keyName} does not belong to ${certName}` };
  }
  const { validFromDate, validToDate } = parsed.value;
  const usable = attempt(() => createSecureContext(pair), `${certName} cannot be used`);
  if (!usable.ok) return usable;
  const validity = { validFrom: validFromDate.getTime(), validTo: validToDate.getTime() };
  return { ok: true, value: { ...pair, ...validity } };
}

/** One escaped line for each mistake that does not keep the server from using the files. */
export function tlsWarnings(
  { certificate, key }: TlsFiles,
  { validFrom, validTo }: TlsPair,
  now: number,
): string[] {
  const name = `the certificate ${quote(certificate)}`;
  const clock = `; this machine's clock says ${formatTime(now)}`;
  const mode = (statSync(key, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  return [
    ...(now < validFrom ? [`${name} is not valid before ${formatTime(validFrom)}${clock}`] : []),
    ...(now > validTo ? [`${name} expired at ${formatTime(validTo)}${clock}`] : []),
    ...((mode & WORLD) === 0
      ? []
      : [`every user has access to the key ${quote(key)}, mode ${octal(mode)}: chmod o= it`]),
  ];
}

function contentOf(path: string, name: string): Result<Buffer, string> {
  try {
    const { size } = statSync(path);
    if (size <= LARGEST_FILE) return { ok: true, value: readFileSync(path) };
    return { ok: false, error: `${name} has ${size} bytes, expected at most ${LARGEST_FILE}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { ok: false, error: `${name} ${unreadableWords(code)}` };
  }
}

/** Node throws errors of OpenSSL, whose messages contain nothing of a file. */
function attempt<T>(read: () => T, otherwise: string): Result<T, string> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    return { ok: false, error: `${otherwise} (${excerpt(codeOf(error))})` };
  }
}

function codeOf(error: unknown): string {
  const { code, message } = Object(error) as { readonly code?: string; readonly message?: string };
  return code ?? message ?? String(error);
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
