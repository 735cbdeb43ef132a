import { lstatSync } from 'node:fs';
import { modeOpenToOthers } from '../config/file-mode.ts';
import { machineIdIn } from '../config/machine-id.ts';
import { nameComplaint } from '../config/text/name.ts';
import { secret, type Result, type Secret } from '../core/index.ts';
import { GROUP_FORM, isGroup } from '../core/rollout/group.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { parseRegistryAddress } from '../registry/address.ts';
import { existsAt, readRegularFile } from './document-file.ts';
import type { Problem } from '../base/problem.ts';
import { isToken } from './token-file.ts';
import type { World } from '../base/world.ts';

/** How a machine authenticates to its registry (Authentication). */
export interface Credentials {
  /** The token that the registry gave this machine. */
  readonly key: Secret;
  /** The id of the token, as `modreg registry token list` shows it. It is not sent. */
  readonly keyId: string;
  /** The id of the machine; undefined if its credentials do not have one. */
  readonly partId: string | undefined;
  /** The group of the machine (D108); undefined if its credentials do not name one. */
  readonly group: string | undefined;
  /** The origin that gets the key; undefined for that of the registry which the command line names. */
  readonly origin: string | undefined;
}

/** The default path of the file with the machine's credentials. */
export const CREDENTIALS_FILE = '/etc/modreg/credentials.json';
const LARGEST_FILE = 64 * 1024;

/** The path of the file with the machine's credentials. */
function credentialsPath({ environment }: World): string {
  return environment['MODREG_CREDENTIALS_FILE'] || CREDENTIALS_FILE;
}

/**
 * The credentials of this machine: those of the environment, else those of the file; undefined if there are none. No
 * message repeats anything of them.
 */
export function machineCredentials(world: World): Result<Credentials | undefined, Problem> {
  const fromEnvironment = environmentCredentials(world);
  if (!fromEnvironment.ok || fromEnvironment.value) return fromEnvironment;
  const path = credentialsPath(world);
  return existsAt(path) ? readCredentials(path) : { ok: true, value: undefined };
}

/** The text of a credentials file, which says that `install-unit` wrote it. */
export function credentialsText({ key, keyId, partId, group, origin }: Credentials): string {
  const fields = {
    api_key_id: keyId,
    api_key: key.reveal(),
    part_id: partId,
    group,
    registry: origin,
    written_by: WRITTEN_BY,
  };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

const WRITTEN_BY = 'modreg agent install-unit';

/** Whether `install-unit` wrote the credentials file at `path`. */
export function isWrittenByInstall(path: string): boolean {
  const file = existsAt(path) ? readRegularFile(path, LARGEST_FILE) : undefined;
  return file?.ok === true && objectIn(file.value.bytes)?.['written_by'] === WRITTEN_BY;
}

/** The credentials in the environment; undefined if it has none. */
export function environmentCredentials({
  environment,
}: World): Result<Credentials | undefined, Problem> {
  const { PLATFORM_API_KEY: key, PLATFORM_API_KEY_ID: keyId } = environment;
  if (!key && !keyId) return { ok: true, value: undefined };
  const fields = {
    api_key: key || undefined,
    api_key_id: keyId || undefined,
    part_id: machineIdIn(environment),
  };
  const read = credentialsOf(fields, (field) => `PLATFORM_${field.toUpperCase()}`);
  return read.ok ? read : problem('usage', read.error);
}

/** The credentials in the file at `path`. */
export function readCredentials(path: string): Result<Credentials, Problem> {
  const where = `the credentials file ${quote(path)}`;
  const file = readRegularFile(path, LARGEST_FILE);
  if (!file.ok) return file;
  const { mode = 0, bytes } = file.value;
  const open = modeOpenToOthers(mode);
  if (open !== undefined) {
    const hint = `chmod 600 ${excerpt(path)} restricts it to its owner; others may have read the key: revoke it, and create another one`;
    return problem('permissions', `${where} has mode ${open}, and others can read it`, hint);
  }
  const { uid } = lstatSync(path);
  if (uid !== 0 && uid !== process.getuid?.()) {
    const hint = `chown root ${excerpt(path)} gives it to root`;
    return problem('permissions', `${where} belongs to user ${uid}, expected root`, hint);
  }
  const fields = bytes.length > LARGEST_FILE ? undefined : objectIn(bytes);
  if (!fields) {
    return problem(
      'bad-value',
      `${where} is not a JSON object of at most ${LARGEST_FILE} bytes`,
      EXAMPLE,
    );
  }
  const read = credentialsOf(fields, (field) => field);
  return read.ok ? read : problem('bad-value', `${where}: ${read.error}`, EXAMPLE);
}

const EXAMPLE =
  'expected {"api_key_id": "t1", "api_key": "modreg_…", "part_id": "robot-1", "registry": "https://registry.example"}; modreg registry token create prints both for a machine';

function objectIn(bytes: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    // The message of JSON.parse would repeat a part of the file.
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Checks the fields. The error names the first wrong one by `nameOf`. */
function credentialsOf(
  { api_key: key, api_key_id: keyId, part_id: partId, group, registry }: Fields,
  nameOf: (field: string) => string,
): Result<Credentials, string> {
  const wrong = (field: string, expected: string): { ok: false; error: string } => {
    return { ok: false, error: `${nameOf(field)} is missing or wrong, expected ${expected}` };
  };
  if (typeof key !== 'string' || !isToken(key)) {
    return wrong('api_key', 'a token of the registry, printable ASCII without spaces');
  }
  if (typeof keyId !== 'string' || !isToken(keyId)) {
    return wrong('api_key_id', 'the id of that token, printable ASCII without spaces');
  }
  if (partId !== undefined && (typeof partId !== 'string' || nameComplaint(partId))) {
    return wrong('part_id', "the machine's id, a single path segment");
  }
  if (group !== undefined && !isGroup(group)) return wrong('group', GROUP_FORM);
  const origin = originOf(registry);
  if (registry !== undefined && origin === undefined) {
    return wrong('registry', 'the address of a registry, such as https://registry.example');
  }
  return { ok: true, value: { key: secret(key), keyId, partId, group, origin } };
}

/** The origin of a registry on the network; undefined for anything else. */
export function originOf(registry: unknown): string | undefined {
  const address = typeof registry === 'string' ? parseRegistryAddress(registry) : undefined;
  return address?.ok === true && 'url' in address.value ? address.value.url.origin : undefined;
}

function problem(
  kind: 'usage' | 'permissions' | 'bad-value',
  message: string,
  hint?: string,
): { readonly ok: false; readonly error: Problem } {
  return { ok: false, error: { severity: 'error', kind, message, hint } };
}
