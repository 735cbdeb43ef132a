import { parseModuleId } from '../releases/module-id.ts';
import { quote } from '../text/quote.ts';
import type { Result } from '../text/result.ts';
import { formatTime, parseTime } from '../text/rfc3339.ts';
import { isKey, isKeyId, isSignature } from './key.ts';
import { ALL_OTHERS, type Role, type Roles } from './role.ts';

/** Names the keys of a registry. Its root keys sign it, and the policies of machines name its digest (D130). */
export interface TrustDocument extends Roles {
  /** What its signatures are over, and what the digest in a policy is of: the lines before the empty one. */
  readonly body: string;
  readonly name: string;
  readonly version: number;
  /** In milliseconds since the epoch. */
  readonly expires: number;
  readonly signatures: readonly { readonly keyId: string; readonly signature: string }[];
}

/** What a new trust document says. */
export type NewTrustDocument = Omit<TrustDocument, 'body' | 'signatures'>;

const TYPE = 'modreg/trust@1';
export const NAME_FORM =
  '1 to 63 letters, digits, ".", "_" and "-", of which the first is a letter or a digit';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** From 1, without zeros at the beginning, and at most a million. */
const NUMBER = /^(?:[1-9]\d{0,5}|1000000)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const SINGLE_ROLES = ['root', 'registry', 'operator'] as const;
/** More than any site has; reading a document takes a time that grows with it. */
export const LONGEST_DOCUMENT: number = 64 * 1024;

export function isTrustName(text: string): boolean {
  return NAME.test(text);
}

/** Thrown and caught here alone: what is wrong with a line. */
class WrongLine extends Error {}

/** Reads a trust document. What it does not know, or has twice, it refuses: a part that is ignored could be the one that matters. */
export function readTrustDocument(text: string): Result<TrustDocument, string> {
  try {
    return { ok: true, value: documentIn(text) };
  } catch (error) {
    if (error instanceof WrongLine) return { ok: false, error: error.message };
    throw error;
  }
}

function documentIn(text: string): TrustDocument {
  if (text.length > LONGEST_DOCUMENT) {
    throw new WrongLine(`it has ${text.length} characters, expected at most ${LONGEST_DOCUMENT}`);
  }
  if (!text.endsWith('\n')) throw new WrongLine('its last line does not end');
  const lines = text.slice(0, -1).split('\n');
  const end = lines.indexOf('');
  if (end < 0) throw new WrongLine('it has no empty line, which its signatures follow');
  const [type, name, version, expires, ...roles] = lines.slice(0, end);
  if (type !== TYPE) throw wrong(0, type, TYPE);
  const head = {
    name: valueIn(name, { at: 1, key: 'name', is: isTrustName, form: NAME_FORM }),
    version: Number(
      valueIn(version, { at: 2, key: 'version', is: isCount, form: 'a number from 1' }),
    ),
    expires: timeIn(valueIn(expires, { at: 3, key: 'expires', is: isDate, form: DATE_FORM })),
  };
  const body = text.slice(0, text.indexOf('\n\n') + 1);
  return { body, ...head, ...rolesIn(roles, 4), signatures: signaturesIn(lines, end + 1) };
}

const DATE_FORM = 'a time such as 2027-11-27T00:00:00Z';

function isCount(text: string): boolean {
  return NUMBER.test(text);
}

function isDate(text: string): boolean {
  return TIME.test(text) && parseTime(text).ok && formatTime(timeIn(text)) === text;
}

function timeIn(text: string): number {
  const time = parseTime(text);
  return time.ok ? time.value : Number.NaN;
}

interface Field {
  readonly at: number;
  readonly key: string;
  readonly is: (value: string) => boolean;
  readonly form: string;
}

function valueIn(line: string | undefined, { at, key, is, form }: Field): string {
  if (line?.startsWith(`${key} `) !== true) throw wrong(at, line, `${key} and ${form}`);
  const value = line.slice(key.length + 1);
  if (!is(value)) throw wrong(at, line, `${key} and ${form}`);
  return value;
}

function rolesIn(lines: readonly string[], from: number): Roles {
  const found = new Map<string, Role>();
  const namespaces = new Map<string, Role>();
  for (const [place, line] of lines.entries()) {
    const at = from + place;
    const [kind = '', ...words] = line.split(' ');
    const isNamespace = kind === 'namespace';
    if (!isNamespace && !SINGLE_ROLES.some((role) => role === kind)) {
      throw wrong(at, line, 'root, registry, namespace, operator or an empty line');
    }
    const [name, roles] = isNamespace ? [words.shift() ?? '', namespaces] : [kind, found];
    if (isNamespace && !isNamespaceName(name)) throw wrong(at, line, 'namespace and its name or *');
    if (roles.has(name)) throw new WrongLine(`line ${at + 1} is a second ${kindAnd(kind, name)}`);
    roles.set(name, roleIn(words, at, line));
  }
  const root = found.get('root');
  if (!root) throw new WrongLine('it has no line with root');
  return { root, registry: found.get('registry'), operator: found.get('operator'), namespaces };
}

function kindAnd(kind: string, name: string): string {
  return kind === name ? name : `${kind} ${name}`;
}

function isNamespaceName(text: string): boolean {
  return text === ALL_OTHERS || parseModuleId(`${text}:any`).ok;
}

function roleIn(words: readonly string[], at: number, line: string): Role {
  const [count = '', ...keys] = words;
  if (!isCount(count) || keys.length === 0 || !keys.every(isKey)) {
    throw wrong(at, line, 'a threshold from 1 and keys such as ed25519:…=, one space before each');
  }
  const threshold = Number(count);
  const repeated = keys.find((key, place) => keys.indexOf(key) !== place);
  if (repeated !== undefined) throw new WrongLine(`line ${at + 1} has the key ${repeated} twice`);
  if (threshold > keys.length) {
    throw new WrongLine(`line ${at + 1} needs ${threshold} of ${keys.length} keys`);
  }
  return { threshold, keys };
}

function signaturesIn(lines: readonly string[], from: number): TrustDocument['signatures'] {
  const seen = new Set<string>();
  return lines.slice(from).map((line, place) => {
    const at = from + place;
    const [kind, keyId = '', signature, ...rest] = line.split(' ');
    const isWhole = kind === 'signature' && isKeyId(keyId) && rest.length === 0;
    if (!isWhole || !isSignature(signature)) {
      throw wrong(at, line, 'signature, the id of a key and 64 bytes in base64');
    }
    if (seen.has(keyId)) throw new WrongLine(`line ${at + 1} is a second signature of ${keyId}`);
    seen.add(keyId);
    return { keyId, signature };
  });
}

function wrong(at: number, line: string | undefined, expected: string): WrongLine {
  const found = line === undefined ? 'missing' : quote(line);
  return new WrongLine(`line ${at + 1} is ${found}, expected ${expected}`);
}

/** The part of a trust document that is signed. */
export function trustBody(document: NewTrustDocument): string {
  const { name, version, expires, root, registry, operator, namespaces } = document;
  const lines = [
    TYPE,
    `name ${name}`,
    `version ${version}`,
    `expires ${formatTime(expires)}`,
    roleLine('root', root),
    ...(registry ? [roleLine('registry', registry)] : []),
    ...Array.from(namespaces, ([namespace, role]) => roleLine(`namespace ${namespace}`, role)),
    ...(operator ? [roleLine('operator', operator)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function roleLine(of: string, { threshold, keys }: Role): string {
  return [of, threshold, ...keys].join(' ');
}

/** A trust document as text. */
export function trustText(body: string, signatures: TrustDocument['signatures']): string {
  const lines = signatures.map(({ keyId, signature }) => `signature ${keyId} ${signature}\n`);
  return `${body}\n${lines.join('')}`;
}
