import { join } from 'node:path';
import { secret, type Secret, type Result } from '../core/index.ts';
import { modeOpenToOthers } from '../config/file-mode.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { isExposed } from '../core/text/web-address.ts';
import { parseRegistryAddress, type WebRegistryAddress } from '../registry/address.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { platformHome } from '../config/platform-home.ts';
import { dockerCredentials } from './docker-config.ts';
import { existsAt, readRegularFile } from './document-file.ts';
import type { Problem } from '../base/problem.ts';
import type { Credentials } from './credentials.ts';
import type { World } from '../base/world.ts';
import { npmSettingsIn, wordsOf, type NpmSettingsOf } from './npm-settings.ts';
import { isToken, parseTokenFile } from './token-file.ts';

/** The token for a registry, or how to provide one. */
export interface RegistryToken {
  readonly token: Secret | undefined;
  /** If there is no token: what a person can do when the registry refuses a request. */
  readonly hint: string | undefined;
  /** The part of the hint about a token that the settings of npm mean to have. */
  readonly unsent?: string | undefined;
}

/** Room for a line for each of some hundred registries. */
const LARGEST_FILE = 64 * 1024;

/** Returns the token for a registry's address. A failed read is repeated on the next call. */
export type TokensOf = (
  url: URL,
  kind?: WebRegistryAddress['kind'],
) => Result<RegistryToken, Problem>;

/** The token for a registry; undefined if there is none. Throws a `registry-refused` if it cannot be read. */
export function tokenFor(url: URL, tokens: TokensOf): Secret | undefined {
  const token = tokens(url);
  if (token.ok) return token.value.token;
  throw new RegistryError('registry-refused', token.error.message);
}

/**
 * The tokens of this process. `registry` is the value of `--registry`; `machine` are the credentials of the machine, whose
 * key comes before the token file. The settings of npm come last, and for OCI registries the credentials of Docker; with `runsHelpers`, also
 * those of its helpers.
 */
export function tokensIn(
  { environment }: World,
  registry: string | undefined,
  machine?: Credentials,
  runsHelpers = false,
): TokensOf {
  const { MODREG_TOKEN: text } = environment;
  const path = tokenFileIn(environment);
  const owner = ownerOf(environment, registry);
  const variable = text === undefined || text === '' ? undefined : fromVariable(text);
  let file: Result<ReadonlyMap<string, Secret>, Problem> | undefined;
  const ofDocker = dockerCredentials(environment, { runsHelpers });
  const settings = npmSettingsIn(environment);
  const npmrc = npmTokens(settings);
  return (url, kind) => {
    const { origin } = url;
    // A registry that only a policy names does not get the token: the author of the policy could collect it.
    if (variable && owner === origin) return variable;
    if (machine && (machine.origin ?? owner) === origin) {
      return { ok: true, value: { token: machine.key, hint: undefined } };
    }
    if (file?.ok !== true) file = path === undefined ? NO_FILE : readTokenFile(path);
    if (!file.ok) return file;
    const token = file.value.get(origin);
    if (token) return { ok: true, value: { token, hint: undefined } };
    const docker = kind === 'oci' ? ofDocker(url) : undefined;
    if (docker && (!docker.ok || docker.value)) return withToken(docker);
    const ofNpm = npmrc(url);
    if (!ofNpm.ok || ofNpm.value) return withToken(ofNpm);
    const ofFile = hintFor(origin, { owner, variable, path, kind });
    const unsent = lackOfNpm(url, settings);
    const hint = unsent === undefined ? ofFile : `${unsent}, or ${ofFile}`;
    return { ok: true, value: { token, hint, unsent } };
  };
}

/** The key of the machine for an address at its registry; undefined for any other, and where others could read it (D309). */
export function machineKeyFor(
  address: string,
  { environment }: World,
  {
    registry,
    machine,
  }: { readonly registry?: string | undefined; readonly machine: Credentials | undefined },
): Secret | undefined {
  const url = URL.parse(address);
  const isOwn = url?.origin === (machine?.origin ?? ownerOf(environment, registry));
  return url && isOwn && !isExposed(url, []) ? machine?.key : undefined;
}

/** Whose the token of the environment is, and a key that names no registry; undefined if the command line names none. */
function ownerOf(
  { MODREG_REGISTRY }: World['environment'],
  registry: string | undefined,
): string | undefined {
  const named = MODREG_REGISTRY || registry;
  return named === undefined ? undefined : ownerIn(named);
}

function withToken(found: Result<Secret | undefined, Problem>): Result<RegistryToken, Problem> {
  return found.ok ? { ok: true, value: { token: found.value, hint: undefined } } : found;
}

const NO_FILE = { ok: true, value: new Map<string, Secret>() } as const;

function fromVariable(text: string): Result<RegistryToken, Problem> {
  if (isToken(text)) return { ok: true, value: { token: secret(text), hint: undefined } };
  return failed(
    'usage',
    'MODREG_TOKEN does not contain a token: expected printable ASCII without spaces',
  );
}

/** The token for an address in the user's settings of npm. The error is that others may read them. */
function npmTokens(settings: NpmSettingsOf): (url: URL) => Result<Secret | undefined, Problem> {
  return (url) => {
    // A registry that needs no token is not refused because of the settings of another program.
    const read = settings();
    const { npmrc, path = '', open } = (read.ok && read.value) || {};
    const token = npmrc?.tokenFor(url);
    if (!token || open === undefined) return { ok: true, value: token };
    return readableByOthers('settings file of npm', path, open);
  };
}

/** Why the settings of npm have no token for `url`, although they may be meant to, as what to do about it. */
function lackOfNpm(url: URL, settings: NpmSettingsOf): string | undefined {
  const read = settings();
  if (!read.ok) return `make the settings of npm readable (${read.error.message})`;
  const line = read.value.npmrc.unsetFor(url);
  if (!line) return undefined;
  return `set ${wordsOf(line.unset)} for line ${line.line} of ${quote(read.value.path)}`;
}

function readableByOthers(
  what: string,
  path: string,
  open: string,
): { readonly ok: false; readonly error: Problem } {
  const hint = `chmod 600 ${excerpt(path)} restricts it to its owner`;
  const message = `the ${what} ${quote(path)} has mode ${open}, and others can read it`;
  return failed('permissions', message, hint);
}

/** The path of `MODREG_TOKEN_FILE`, else that of the file `tokens` at home if it exists. */
function tokenFileIn({
  MODREG_TOKEN_FILE: named,
  ...environment
}: World['environment']): string | undefined {
  if (named) return named;
  const home = platformHome(environment);
  const path = home && join(home, 'tokens');
  return path !== undefined && existsAt(path) ? path : undefined;
}

/** What a person can do if the registry at `origin` needs a token. */
function hintFor(
  origin: string,
  {
    owner,
    variable,
    path,
    kind,
  }: {
    readonly owner: string | undefined;
    readonly variable: unknown;
    readonly path: string | undefined;
    readonly kind: WebRegistryAddress['kind'] | undefined;
  },
): string {
  // An OCI registry, or its token server, takes a user and a password.
  const form = kind === 'oci' ? '<user>:<password>' : '<token>';
  const file = path === undefined ? '$PLATFORM_HOME/tokens (mode 0600)' : excerpt(path);
  const line = `add the line "${origin} ${form}" to ${file}`;
  if (owner === origin) {
    return `set MODREG_TOKEN to ${kind === 'oci' ? form : 'a token'}, or ${line}`;
  }
  if (!variable) return line;
  const whose = owner ?? 'the registry that MODREG_REGISTRY or --registry names';
  return `MODREG_TOKEN is for ${whose} only, so it was not sent; ${line}`;
}

/** The origin of the registry that `MODREG_TOKEN` is for. Text that is no address is not shown: it may be secret. */
function ownerIn(registry: string): string {
  const address = parseRegistryAddress(registry);
  const isOnline = address.ok && 'url' in address.value;
  return isOnline
    ? address.value.url.origin
    : 'the registry that MODREG_REGISTRY or --registry names';
}

function readTokenFile(path: string): Result<ReadonlyMap<string, Secret>, Problem> {
  const file = readRegularFile(path, LARGEST_FILE);
  if (!file.ok) return file;
  const { mode = 0, bytes } = file.value;
  if (bytes.length > LARGEST_FILE) {
    return failed('usage', `the token file ${quote(path)} has more than ${LARGEST_FILE} bytes`);
  }
  const open = modeOpenToOthers(mode);
  if (open !== undefined) return readableByOthers('token file', path, open);
  const tokens = parseTokenFile(Buffer.from(bytes).toString());
  if (tokens.ok) return tokens;
  return failed('bad-value', `the token file ${quote(path)}, ${tokens.error}`);
}

function failed(
  kind: 'usage' | 'permissions' | 'bad-value',
  message: string,
  hint?: string,
): { readonly ok: false; readonly error: Problem } {
  return { ok: false, error: { severity: 'error', kind, message, hint } };
}
