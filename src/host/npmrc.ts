import { secret, type Secret } from '../core/index.ts';
import { withoutFinalSlashes } from '../core/text/final-slashes.ts';
import { isToken } from './token-file.ts';

/** What npm's settings say about registries. (npm, "npmrc") */
export interface Npmrc {
  /** The line that names the registry of a scope, `@acme`, or of all others, the empty text; undefined if none does. */
  readonly registryOf: (scope: string) => Setting | undefined;
  /** The token for an address, or `user:password`; undefined if no line is for it. */
  readonly tokenFor: (url: URL) => Secret | undefined;
  /** The first line with the token for an address that cannot be used because a variable is not set. */
  readonly unsetFor: (url: URL) => Setting | undefined;
}

/** One line, or a variable. */
export interface Setting {
  /** Its number, from 1; 0 for a variable. */
  readonly line: number;
  /** The name of the variable, in the spelling that was found; absent for a line. */
  readonly variable?: string;
  readonly key: string;
  /** Its value, with the variables that are set. */
  readonly value: string;
  /** The names of the variables in it that are not set. */
  readonly unset: readonly string[];
}

/** The lines about one address, without its scheme: `//npm.acme.example/npm/`. */
type Credentials = Partial<Record<Field, Setting>>;
type Field = '_authToken' | '_auth' | 'username' | '_password';

const CREDENTIAL = /^(\/\/.+):(_authToken|_auth|username|_password)$/;
/** npm reads `\${NAME}` as it is written, and `${NAME?}` as empty text if the variable is not set. */
const VARIABLE = /(?<!\\)\$\{([^}?]+)(\?)?\}/g;
const REGISTRY = /^(?:(@[^:]+):)?registry$/;
const OF_NPM = /^npm_config_/i;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads a `.npmrc`. `${NAME}` is the variable of that name, as for npm. A line with a token and a variable that is not set is ignored; one with a
 * registry is not, because its packages would be asked of another one. The lines for the longest path that an address begins with count. A variable such
 * as `NPM_CONFIG_REGISTRY` or `npm_config_@acme:registry` comes before the line for the same scope. (npm, "config")
 */
export function readNpmrc(text: string, environment: Variables): Npmrc {
  const settings = text.split(/\r?\n/).flatMap((line, place) => {
    const isIgnored = /^\s*(?:$|[#;])/.test(line);
    return isIgnored ? [] : [settingIn(line, place + 1, environment)];
  });
  const named = [...settings, ...registryVariables(environment)];
  const all = credentialsIn(settings);
  const usable = credentialsIn(settings.filter(({ unset }) => unset.length === 0));
  return {
    registryOf: (scope) => registryOf(scope, named),
    tokenFor: (url) => {
      const found = credentialsFor(url, usable);
      const token = found && tokenOf(found);
      return token !== undefined && isToken(token) ? secret(token) : undefined;
    },
    unsetFor: (url) =>
      Object.values(credentialsFor(url, all) ?? {}).find(({ unset }) => unset.length > 0),
  };
}

/** A line without `=` has no value. */
function settingIn(text: string, line: number, environment: Variables): Setting {
  const end = text.includes('=') ? text.indexOf('=') : text.length;
  const key = expanded(text.slice(0, end).trim(), environment);
  const value = expanded(unquoted(text.slice(end + 1).trim()), environment);
  return { line, key: key.text, value: value.text, unset: [...key.unset, ...value.unset] };
}

/** The registries that variables name. The spelling in lower case is the last, which counts. */
function registryVariables(environment: Variables): Setting[] {
  const names = Object.keys(environment).filter((name) => OF_NPM.test(name));
  return names.toSorted().flatMap((variable) => {
    const key = variable.replace(OF_NPM, '').toLowerCase();
    const text = environment[variable] ?? '';
    if (text === '' || !REGISTRY.test(key)) return [];
    return [{ ...settingIn(`${key}=${text}`, 0, environment), variable }];
  });
}

/**
 * The last line for a scope. Registries write scopes in lower case, whatever a line does, so a line in other letters counts if none has the same. A line
 * whose scope is not known, because its variable is not set, may be for any.
 */
function registryOf(scope: string, settings: readonly Setting[]): Setting | undefined {
  const lines = settings.flatMap((setting) => {
    const [found, named = ''] = REGISTRY.exec(setting.key) ?? [];
    return found === undefined ? [] : [{ setting, named }];
  });
  const last = (isMeant: (named: string) => boolean): Setting | undefined =>
    lines.findLast(({ named }) => isMeant(named))?.setting;
  return (
    last((named) => named === scope) ??
    last((named) => named.toLowerCase() === scope.toLowerCase()) ??
    settings.find(({ key }) => scope !== '' && /\$\{.*registry$/.test(key))
  );
}

/** By their addresses, the longest first. */
function credentialsIn(
  settings: readonly Setting[],
): readonly (readonly [path: string, Credentials])[] {
  const byPath = new Map<string, Credentials>();
  for (const setting of settings) {
    const [, place, field] = CREDENTIAL.exec(setting.key) ?? [];
    if (place === undefined) continue;
    const path = `${withoutFinalSlashes(place)}/`;
    // The expression has only these fields.
    byPath.set(path, { ...byPath.get(path), [field as Field]: setting });
  }
  return [...byPath].toSorted(([one], [other]) => other.length - one.length);
}

function credentialsFor(
  { host, pathname }: URL,
  longestFirst: ReturnType<typeof credentialsIn>,
): Credentials | undefined {
  const address = `//${host}${withoutFinalSlashes(pathname)}/`;
  return longestFirst.find(([path]) => address.startsWith(path))?.[1];
}

function tokenOf({ _authToken, _auth, username, _password }: Credentials): string | undefined {
  if (_authToken) return _authToken.value;
  if (_auth) return decoded(_auth.value);
  return username?.value && _password?.value && `${username.value}:${decoded(_password.value)}`;
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}

/** `text` with its variables. One that is not set stays. */
function expanded(
  text: string,
  environment: Variables,
): { readonly text: string; readonly unset: readonly string[] } {
  const unset: string[] = [];
  const replaced = text.replaceAll(VARIABLE, (written, name: string, optional?: string) => {
    const value = environment[name] ?? (optional === undefined ? undefined : '');
    if (value === undefined) unset.push(name);
    return value ?? written;
  });
  return { text: replaced, unset };
}
