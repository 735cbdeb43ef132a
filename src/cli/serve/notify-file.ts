import { readJson } from '../../config/text/json-document.ts';
import { secret, type Result, type Secret } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { isLoopback } from '../../core/text/web-address.ts';
import { secretIn } from '../../host/secret-file.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { Receivers } from '../../server/notice.ts';

/** What a file of `--notify` says. */
export type NotifyTerms = Pick<Receivers, 'addresses' | 'secret'>;

const MOST_ADDRESSES = 10;
/** As long as 128 random bits in hexadecimal digits. */
const SHORTEST_SECRET = 32;
const FIELDS: ReadonlySet<string> = new Set(['addresses', 'secret', 'secret_file', 'allow_http']);

/** Reads the file of `--notify`. Its addresses can be secret, so nobody else may read it, and no message repeats their paths (D213). */
export function readNotifyFile(
  path: string,
  { environment }: Pick<World, 'environment'>,
): Result<NotifyTerms, Problem> {
  const file = secretIn(path);
  if (!file.ok) return file;
  const fields = objectIn(file.value.toString());
  if (!fields.ok) return wrong(path, fields.error);
  const unknown = Object.keys(fields.value).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) {
    return wrong(path, `${excerpt(unknown)} is none of its fields: ${[...FIELDS].join(', ')}`);
  }
  const addresses = addressesIn(fields.value);
  if (!addresses.ok) return wrong(path, addresses.error);
  const found = secretFor(path, fields.value, environment);
  if (!found.ok) return found;
  return { ok: true, value: { addresses: addresses.value, secret: found.value } };
}

type Fields = Readonly<Record<string, unknown>>;

function wrong(path: string, found: string): { readonly ok: false; readonly error: Problem } {
  const message = `--notify: ${quote(path)}: ${found}`;
  return { ok: false, error: { severity: 'error', kind: 'bad-value', message } };
}

function objectIn(text: string): Result<Fields, string> {
  const { value, findings, isWhole } = readJson(text);
  const [finding] = findings;
  if (finding) return { ok: false, error: finding.message };
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isWhole || !isObject) return { ok: false, error: 'it is not a JSON object' };
  return { ok: true, value: { ...value } };
}

function addressesIn({ addresses, allow_http: http }: Fields): Result<readonly URL[], string> {
  if (http !== undefined && typeof http !== 'boolean') {
    return { ok: false, error: 'allow_http is not true or false' };
  }
  if (!Array.isArray(addresses) || addresses.length === 0 || addresses.length > MOST_ADDRESSES) {
    return { ok: false, error: `addresses is not a list of 1 to ${MOST_ADDRESSES} addresses` };
  }
  const urls: URL[] = [];
  for (const [place, text] of addresses.entries()) {
    const url = typeof text === 'string' ? URL.parse(text) : null;
    const complaint = complaintAbout(url, http === true);
    if (complaint !== undefined || !url) {
      return { ok: false, error: `address ${place + 1} ${complaint}` };
    }
    if (urls.some(({ href }) => href === url.href)) {
      return { ok: false, error: `address ${place + 1} is there twice` };
    }
    urls.push(url);
  }
  return { ok: true, value: urls };
}

function complaintAbout(url: URL | null, allowsHttp: boolean): string | undefined {
  if (!url || !/^https?:$/.test(url.protocol)) {
    return 'is not an address such as https://hooks.example/modreg';
  }
  if (url.username !== '' || url.password !== '') return 'has a user or a password';
  if (url.protocol === 'https:' || allowsHttp || isLoopback(url.hostname)) return undefined;
  return 'is http: on another host, where others can read it: use https:, or set allow_http to true';
}

function secretFor(
  path: string,
  { secret: text, secret_file: file }: Fields,
  { MODREG_NOTIFY_SECRET: variable }: World['environment'],
): Result<Secret, Problem> {
  if (text !== undefined && file !== undefined) return wrong(path, 'it has secret and secret_file');
  if (file !== undefined) {
    if (typeof file !== 'string' || file === '') return wrong(path, 'secret_file is not a path');
    const content = secretIn(file);
    if (!content.ok) return content;
    return checkedSecret(path, content.value.toString().trimEnd(), 'the content of secret_file');
  }
  if (text === undefined && variable) {
    return checkedSecret(path, variable, 'the secret in MODREG_NOTIFY_SECRET');
  }
  if (text === undefined) {
    return wrong(path, 'it has no secret: add secret or secret_file, or set MODREG_NOTIFY_SECRET');
  }
  return checkedSecret(path, text, 'secret');
}

function checkedSecret(path: string, text: unknown, what: string): Result<Secret, Problem> {
  if (typeof text === 'string' && text.length >= SHORTEST_SECRET) {
    return { ok: true, value: secret(text) };
  }
  const make = 'openssl rand -hex 32 makes one';
  return wrong(path, `${what} has fewer than ${SHORTEST_SECRET} characters: ${make}`);
}
