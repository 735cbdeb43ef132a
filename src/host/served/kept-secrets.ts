import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { secretPlace, secretsInConfig } from '../../config/served/secret-places.ts';
import type { ModuleEntry } from '../../core/machine/machine.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { secretValues, type SecretValues } from '../../registry/secret-documents.ts';
import { asDatabaseError } from '../../sqlite/database-error.ts';
import { readRegularFile } from '../document-file.ts';
import type { ServedState } from './served-state.ts';

/** Beside machine.db, for this user only. */
const KEPT = 'machine.db.secrets';
const SCHEMA = 'modreg/site-secrets@1';
const PRIVATE = 0o600;
const LARGEST = 16 * 1024 * 1024;

const kept = v.object({
  schema: v.literal(SCHEMA),
  site: v.string(),
  machine: v.string(),
  ...secretValues.entries,
});

/** Whose values they are, and where they are kept. */
export interface SecretPlace extends Pick<ServedState, 'site' | 'machine'> {
  /** The folder of the machine's state. */
  readonly home: string;
}

/** The values that were kept for a machine from this site, so that its modules start while the site is out of reach (D365). */
function keptSecrets({ home, site, machine }: SecretPlace): SecretValues {
  const file = readRegularFile(join(home, KEPT), LARGEST);
  const read = file.ok ? v.safeParse(kept, jsonIn(file.value.bytes)) : undefined;
  if (!read?.success) return {};
  const isOwn = read.output.site === site && read.output.machine === machine;
  return isOwn ? read.output.secrets : {};
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    // The file is not one that this modreg wrote. The error would quote it.
    return undefined;
  }
}

/** The value of `${secret.NAME}` for a variable of a module; undefined if there is none that was typed for it (D361, D363). */
export function secretFor(
  of: SecretPlace,
): (entry: ModuleEntry, reader: string, name: string) => string | undefined {
  return (entry, reader, name) => {
    const found = valueIn(keptSecrets(of), name);
    return found?.places.includes(secretPlace(entry, reader)) === true ? found.value : undefined;
  };
}

function valueIn(secrets: SecretValues, name: string): SecretValues[string] | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

/** Removes what was kept, if there is something. Throws the error of the file system. */
export function forgetSecrets(home: string): void {
  for (const end of ['', '.new']) rmSync(join(home, `${KEPT}${end}`), { force: true });
}

/**
 * Keeps what `answered` says of the values that the machine's documents name, and of each other one what was kept, until it says that the value was
 * removed (D365, T761). Whether a value changed. Throws a DatabaseError.
 */
function keepSecrets(of: SecretPlace, names: ReadonlySet<string>, answered: SecretValues): boolean {
  const before = keptSecrets(of);
  const all = Object.entries({ ...before, ...answered });
  const secrets = Object.fromEntries(
    all.filter(([name, secret]) => secret !== null && names.has(name)),
  );
  if (JSON.stringify(secrets) === JSON.stringify(before)) return false;
  const { home, site, machine } = of;
  const path = join(home, KEPT);
  try {
    const text = JSON.stringify({ schema: SCHEMA, site, machine, secrets });
    replaceFile(path, text, { mode: PRIVATE });
  } catch (error) {
    throw asDatabaseError(error, path);
  }
  return true;
}

/** Reads the values that documents name from their site, which is not asked if they name none. Whether a value changed. */
export async function refreshSecrets(
  of: SecretPlace,
  documents: readonly (ServedState['current'] | null)[],
  values: () => Promise<SecretValues>,
): Promise<boolean> {
  const names = new Set(
    documents.flatMap((one) => (one ? secretsInConfig(one).map(({ name }) => name) : [])),
  );
  return keepSecrets(of, names, names.size === 0 ? {} : await values());
}
