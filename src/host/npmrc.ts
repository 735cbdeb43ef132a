import { secret, type Secret } from '../core/index.ts';
import { withoutFinalSlashes } from '../core/text/final-slashes.ts';
import { isToken } from './token-file.ts';

/** What npm's settings say about registries. (npm, "npmrc") */
export interface Npmrc {
  /** The registry of a scope, `@acme`, or of all others, the empty text; as written. */
  readonly registries: ReadonlyMap<string, string>;
  /** The token for an address, or `user:password`; undefined if no line is for it. */
  readonly tokenFor: (url: URL) => Secret | undefined;
}

/** The lines about one address, without its scheme: `//npm.acme.example/npm/`. */
type Credentials = Partial<Record<Field, string>>;
type Field = '_authToken' | '_auth' | 'username' | '_password';

const CREDENTIAL = /^(\/\/.+):(_authToken|_auth|username|_password)$/;
const VARIABLE = /\$\{([^}]+)\}/g;
const REGISTRY = /^(?:(@[^:]+):)?registry$/;

/**
 * Reads a `.npmrc`. `${NAME}` is the variable of that name, as for npm; a line with one that is not set is ignored, as other settings are. The
 * lines for the longest path that an address begins with count.
 */
export function readNpmrc(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Npmrc {
  const registries = new Map<string, string>();
  const credentials = new Map<string, Credentials>();
  for (const line of text.split(/\r?\n/)) {
    const end = line.indexOf('=');
    const key = line.slice(0, Math.max(end, 0)).trim();
    const value = expanded(unquoted(line.slice(end + 1).trim()), environment);
    if (/^(?:$|[#;])/.test(key) || value === undefined) continue;
    const [, scope = ''] = REGISTRY.exec(key) ?? [];
    if (REGISTRY.test(key)) registries.set(scope, value);
    const [, place, field] = CREDENTIAL.exec(key) ?? [];
    if (place === undefined) continue;
    const path = `${withoutFinalSlashes(place)}/`;
    // The expression has only these fields.
    credentials.set(path, { ...credentials.get(path), [field as Field]: value });
  }
  const longestFirst = [...credentials].toSorted(([one], [other]) => other.length - one.length);
  return {
    registries,
    tokenFor: ({ host, pathname }) => {
      const address = `//${host}${withoutFinalSlashes(pathname)}/`;
      const [, found] = longestFirst.find(([path]) => address.startsWith(path)) ?? [];
      const token = found && tokenOf(found);
      return token !== undefined && isToken(token) ? secret(token) : undefined;
    },
  };
}

function tokenOf({ _authToken, _auth, username, _password }: Credentials): string | undefined {
  if (_authToken !== undefined) return _authToken;
  if (_auth !== undefined) return decoded(_auth);
  return username && _password && `${username}:${decoded(_password)}`;
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}

function expanded(
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const names = Array.from(value.matchAll(VARIABLE), ([, name = '']) => name);
  if (names.some((name) => environment[name] === undefined)) return undefined;
  return value.replaceAll(VARIABLE, (_, name: string) => environment[name] ?? '');
}
