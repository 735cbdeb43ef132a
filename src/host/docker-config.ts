import { join } from 'node:path';
import { secret, type Secret } from '../core/index.ts';
import type { World } from '../base/world.ts';
import { existsAt, readRegularFile } from './document-file.ts';
import { isToken } from './token-file.ts';

/** Returns `user:password` for an OCI registry; undefined if Docker has no credentials for it. */
type CredentialsOf = (url: URL) => Secret | undefined;

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: unknown } | undefined>>;
  readonly credHelpers?: Readonly<Record<string, unknown>>;
  readonly credsStore?: unknown;
}

const LARGEST = 1024 * 1024;
const HELPER_MS = 10_000;
/** Docker's own registry has another name in the file. */
const NAMES = new Map([['registry-1.docker.io', 'index.docker.io']]);

/**
 * The credentials in Docker's `config.json`, which is read once: below `DOCKER_CONFIG`, else in `.docker` at home. Credential helpers
 * are programs that it names; they are run only if `runsHelpers`. A file that cannot be read has no credentials: it belongs to another program.
 */
export function dockerCredentials(
  environment: World['environment'],
  { runsHelpers }: { readonly runsHelpers: boolean },
): CredentialsOf {
  const known = new Map<string, Secret | undefined>();
  let config: DockerConfig | undefined;
  return ({ host }) => {
    if (known.has(host)) return known.get(host);
    config ??= readConfig(environment);
    const name = NAMES.get(host) ?? host;
    const helper = helperFor(name, config);
    const found =
      helper === undefined
        ? pairIn(name, config)
        : runsHelpers
          ? pairOfHelper(helper, name, environment)
          : undefined;
    // What cannot be sent in a header is not sent at all.
    const usable = found !== undefined && isToken(found) ? secret(found) : undefined;
    known.set(host, usable);
    return usable;
  };
}

function readConfig({ DOCKER_CONFIG: folder, HOME }: World['environment']): DockerConfig {
  const home = HOME ? join(HOME, '.docker') : undefined;
  const path = folder || home;
  const named = path === undefined ? undefined : join(path, 'config.json');
  if (named === undefined || !existsAt(named)) return {};
  const file = readRegularFile(named, LARGEST);
  if (!file.ok) return {};
  try {
    // Every field is checked where it is read.
    return Object(JSON.parse(Buffer.from(file.value.bytes).toString())) as DockerConfig;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function helperFor(name: string, { credHelpers, credsStore }: DockerConfig): string | undefined {
  const helper = Object(credHelpers)[name] ?? credsStore;
  return typeof helper === 'string' && /^[\w.-]+$/.test(helper) ? helper : undefined;
}

/** The keys are hosts, or addresses as Docker once wrote them: `https://index.docker.io/v1/`. */
function pairIn(name: string, { auths }: DockerConfig): string | undefined {
  const entries = Object.entries(Object(auths) as NonNullable<DockerConfig['auths']>);
  const [, entry] =
    entries.find(([key]) => key.replace(/^https?:\/\//, '').split('/')[0] === name) ?? [];
  const auth: unknown = Object(entry).auth;
  const pair = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString() : '';
  return /^[^:]+:./.test(pair) ? pair : undefined;
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
