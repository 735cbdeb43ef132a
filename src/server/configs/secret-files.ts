import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { quote } from '../../core/text/quote.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { syncFolder } from '../../files/sync.ts';
import { secretValues, type SecretValues } from '../../registry/secret-documents.ts';
import { asDatabaseError, DatabaseError } from '../../sqlite/database-error.ts';
import { IN_MEMORY } from '../../sqlite/database.ts';
import { isOfFront } from '../front-file.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { sealedSecrets, type SealedSecrets } from './sealed-secrets.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** The values for `${secret.NAME}` in the documents of machines. */
export interface CatalogueSecrets {
  /** What the values are for that a machine has, by their names; also at a front. */
  readonly places: (machine: string) => ReadonlyMap<string, readonly string[]>;
  /** At a front of a cluster, which keeps none in files. */
  readonly sealed: SealedSecrets;
  /** The machines that have values in files. */
  readonly machines: () => readonly string[];
  /** Null for a value that was removed, so that the machine removes it too. */
  readonly of: (machine: string) => SecretValues;
  readonly set: (machine: string, name: string, secret: SecretValues[string]) => void;
}

/** The path of the folder beside the catalogue at `path`. */
function secretsPath(path: string): string {
  return `${path.replace(/\.db$/, '')}-secrets`;
}

/**
 * The values beside the catalogue: a file for each machine, which is replaced as a whole, so that a removed value is in no free page and
 * in no log of a database. Backups do not have them (D362). Throws a DatabaseError.
 */
export function catalogueSecrets(sql: Statements): CatalogueSecrets {
  const inFiles = sql.path === IN_MEMORY ? secretsInMemory() : secretsInFiles(sql.path);
  const sealed = sealedSecrets(sql);
  return {
    ...inFiles,
    sealed,
    places(machine) {
      const kept = isOfFront(sql) ? sealed.of(machine) : Object.entries(inFiles.of(machine));
      return new Map([...kept].flatMap(([name, one]) => (one ? [[name, one.places]] : [])));
    },
  };
}

type SecretsInFiles = Omit<CatalogueSecrets, 'places' | 'sealed'>;

function secretsInFiles(path: string): SecretsInFiles {
  const folder = secretsPath(path);
  const of = (machine: string): SecretValues => readFrom(fileOf(folder, machine));
  return {
    of,
    machines: () => machinesIn(folder),
    set(machine, name, secret) {
      const secrets = { ...of(machine), [name]: secret };
      const file = fileOf(folder, machine);
      try {
        if (mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER }) !== undefined) {
          syncFolder(dirname(folder));
        }
        replaceFile(file, JSON.stringify({ secrets }), { mode: PRIVATE_FILE });
      } catch (error) {
        throw asDatabaseError(error, file);
      }
    },
  };
}

function secretsInMemory(): SecretsInFiles {
  const kept = new Map<string, SecretValues>();
  const of = (machine: string): SecretValues => kept.get(machine) ?? {};
  return {
    of,
    machines: () => [...kept.keys()],
    set: (machine, name, secret) => kept.set(machine, { ...of(machine), [name]: secret }),
  };
}

/** The id of a machine is the name of a file: it has no slash, and begins with a letter or a digit. */
function fileOf(folder: string, machine: string): string {
  return join(folder, `${machine}.json`);
}

function machinesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw asDatabaseError(error, folder);
  }
}

function readFrom(file: string): SecretValues {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw asDatabaseError(error, file);
  }
  const read = v.safeParse(secretValues, jsonIn(text));
  if (read.success) return read.output.secrets;
  const message = `${quote(file)}: it has no values for \${secret.NAME} that can be read; remove it, and set them again`;
  throw new DatabaseError('damaged', message, { file });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Its error would quote the text.
    return undefined;
  }
}
