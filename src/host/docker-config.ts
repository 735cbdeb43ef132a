import { join } from 'node:path';
import { secret, type Result, type Secret } from '../core/index.ts';
import { jsonPointer } from '../core/text/json-pointer.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { isJsonObject } from '../registry/formats/json-object.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { existsAt, readRegularFile } from './document-file.ts';
import { isToken } from './token-file.ts';

/** Returns `user:password` for an OCI registry, undefined if Docker has no credentials for it; or what is wrong with its file. */
type CredentialsOf = (url: URL) => Result<Secret | undefined, Problem>;

interface DockerConfig {
  readonly path: string;
  readonly auths?: Readonly<Record<string, { readonly auth?: unknown } | undefined>>;
  readonly credHelpers?: Readonly<Record<string, unknown>>;
  readonly credsStore?: unknown;
}

const LARGEST = 1024 * 1024;
const NONE = { ok: true, value: undefined } as const;
const HELPER_MS = 10_000;
/** Docker's own registry has another name in the file. */
const NAMES = new Map([['registry-1.docker.io', 'index.docker.io']]);

/**
 * The credentials in Docker's `config.json`: below `DOCKER_CONFIG`, else in `.docker` at home. It is read once, and a file that cannot be
 * used is an error, which repeats nothing of it. Credential helpers are programs that it names; they are run only if `runsHelpers`.
 */
export function dockerCredentials(
  environment: World['environment'],
  { runsHelpers }: { readonly runsHelpers: boolean },
): CredentialsOf {
  const known = new Map<string, Secret | undefined>();
  let config: Result<DockerConfig, Problem> | undefined;
  return ({ host }) => {
    if (known.has(host)) return { ok: true, value: known.get(host) };
    if (config?.ok !== true) config = readConfig(environment);
    if (!config.ok) return config;
    const name = NAMES.get(host) ?? host;
    const helper = helperFor(name, config.value);
    const found = helper === undefined ? pairIn(name, config.value) : NONE;
    if (!found.ok) return found;
    const isRun = helper !== undefined && runsHelpers;
    const pair = isRun ? pairOfHelper(helper, name, environment) : found.value;
    // What cannot be sent in a header is not sent at all.
    const usable = pair !== undefined && isToken(pair) ? secret(pair) : undefined;
    known.set(host, usable);
    return { ok: true, value: usable };
  };
}

function readConfig({
  DOCKER_CONFIG: folder,
  HOME,
}: World['environment']): Result<DockerConfig, Problem> {
  const home = HOME ? join(HOME, '.docker') : undefined;
  const path = join(folder || (home ?? ''), 'config.json');
  if (!(folder || home) || !existsAt(path)) return { ok: true, value: { path } };
  const file = readRegularFile(path, LARGEST);
  if (!file.ok) return broken(path, file.error.message);
  const text = Buffer.from(file.value.bytes).toString();
  try {
    const json: unknown = JSON.parse(text);
    // Every field is checked where it is read.
    if (isJsonObject(json)) return { ok: true, value: { ...json, path } };
    return broken(path, 'expected an object');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return broken(path, syntaxErrorIn(error));
  }
}

/** What is wrong with text that is no JSON. Other messages of V8 than these repeat a part of the text, which may be secret. */
function syntaxErrorIn({ message }: SyntaxError): string {
  if (message === 'Unexpected end of JSON input') return 'it ends before its JSON does';
  const [, what, line, column] =
    /^(.*) at position \d+ \(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return what === undefined ? 'it is not JSON' : `line ${line}, column ${column}: ${what}`;
}

function broken(path: string, what: string): { readonly ok: false; readonly error: Problem } {
  const message = `the credentials file of Docker ${quote(path)} cannot be used: ${what}`;
  const hint = 'mend or remove it, or set DOCKER_CONFIG to another folder';
  return { ok: false, error: { severity: 'error', kind: 'bad-value', message, hint } };
}

function helperFor(name: string, { credHelpers, credsStore }: DockerConfig): string | undefined {
  const helper = Object(credHelpers)[name] ?? credsStore;
  return typeof helper === 'string' && /^[\w.-]+$/.test(helper) ? helper : undefined;
}

/** The keys are hosts, or addresses as Docker once wrote them: `https://index.docker.io/v1/`. */
function pairIn(name: string, { auths, path }: DockerConfig): Result<string | undefined, Problem> {
  const entries = Object.entries(Object(auths) as NonNullable<DockerConfig['auths']>);
  const found = entries.find(([key]) => key.replace(/^https?:\/\//, '').split('/')[0] === name);
  const auth: unknown = Object(found?.[1]).auth;
  // A program that has the password elsewhere leaves an empty entry, and one with an identity token has no password.
  if (!found || auth === undefined || auth === '') return NONE;
  const pair = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString() : '';
  if (/^[^:]+:/.test(pair)) return pair.endsWith(':') ? NONE : { ok: true, value: pair };
  const place = jsonPointer(['auths', found[0], 'auth']);
  return broken(path, `${excerpt(place)} is not base64 of <user>:<password>`);
}

/** What a credential helper of Docker answers to `get`. One that fails has no credentials. */
function pairOfHelper(
  helper: string,
  name: string,
  { PATH }: World['environment'],
): string | undefined {
  // Few registries have a helper, and the module loads much of Node with it.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    const answer = execFileSync(`docker-credential-${helper}`, ['get'], {
      input: name === 'index.docker.io' ? `https://${name}/v1/` : name,
      env: { PATH },
      timeout: HELPER_MS,
      maxBuffer: LARGEST,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const { Username: user, Secret: password } = Object(JSON.parse(answer));
    // An identity token is no password.
    const isPair = typeof user === 'string' && typeof password === 'string' && user !== '<token>';
    return isPair ? `${user}:${password}` : undefined;
  } catch {
    return undefined;
  }
}
