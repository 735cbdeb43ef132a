import { secret, type Result, type Secret } from '../core/index.ts';

/** A token in the characters that a header allows. */
const TOKEN = /^[!-~]+$/;

/** Whether `text` can be sent as a bearer token. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Parses the lines `<origin> <token>` of a token file; blank lines and lines that begin with `#` are ignored. The keys of
 * the result are origins. The error is a line for a person that repeats nothing of the file, which may be secret.
 */
export function parseTokenFile(text: string): Result<ReadonlyMap<string, Secret>, string> {
  const tokens = new Map<string, Secret>();
  for (const [place, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [origin, token] = fieldsOf(line);
    const complaint =
      complaintAbout(origin, token) ??
      (tokens.has(origin) ? 'the origin has a token on an earlier line' : undefined);
    if (complaint !== undefined) return { ok: false, error: `line ${place + 1}: ${complaint}` };
    tokens.set(origin, secret(token));
  }
  return { ok: true, value: tokens };
}

/** The origin, in the form of the URL standard, and the token. Both are empty if the line does not have two fields. */
function fieldsOf(line: string): readonly [origin: string, token: string] {
  const [origin = '', token = '', ...rest] = line.trim().split(/\s+/);
  return rest.length > 0 || token === '' ? ['', ''] : [originOf(origin), token];
}

/** The origin that `text` names; empty if it names none or more than that. */
function originOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return '';
  return url.href === `${url.origin}/` ? url.origin : '';
}

function complaintAbout(origin: string, token: string): string | undefined {
  if (origin === '')
    return 'expected an origin such as https://registry.example, a space and a token';
  return isToken(token) ? undefined : 'the token is not printable ASCII';
}
