import { existsSync } from 'node:fs';
import type { Result } from '../core/index.ts';
import { Catalogue } from '../server/catalogue/catalogue.ts';
import type { ReadableCatalogue } from '../server/catalogue/readable-catalogue.ts';
import { IN_MEMORY, type Opening } from '../sqlite/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
import type { ErrorKind } from '../base/codes.ts';
import { usage, type Problem } from '../base/problem.ts';
import { shellWord } from '../base/shell-word.ts';
import { defaultDatabase, servedElsewhere } from '../host/registry-choice.ts';
import type { World } from '../base/world.ts';

/** Which registry file is meant; by default the one in PLATFORM_HOME. */
export interface CatalogueOptions {
  readonly db?: string;
}

/** How a command names the same file: ` --db registry.db`; empty for the default. */
export function fileOption({ db }: CatalogueOptions): string {
  return db === undefined ? '' : ` --db ${shellWord(db)}`;
}

/** For what can create the file. */
export interface CreatingOptions extends CatalogueOptions {
  readonly create?: true;
}

type Mode = Exclude<Opening['mode'], 'inspect'>;

/** How a registry's file is opened. */
interface CatalogueOpening<M extends Mode> extends Partial<Pick<Opening, 'busyTimeoutMs'>> {
  readonly mode: M;
  /** Whether `--registry` could name the registry, too. */
  readonly hasAddress?: true;
}

/** One that is opened to read has no method that changes it. */
type Opened<M extends Mode> = M extends 'read' ? ReadableCatalogue : Catalogue;

/** How the file is opened: only a path that was not typed is created without `--create`. */
export function modeOf({
  db,
  create,
}: CreatingOptions): Pick<CatalogueOpening<'create' | 'write'>, 'mode'> {
  return { mode: db === undefined || create ? 'create' : 'write' };
}

const KINDS: Readonly<Record<DatabaseErrorKind, ErrorKind>> = {
  missing: 'unreadable-file',
  damaged: 'state-unreadable',
  unreadable: 'state-unreadable',
  'later-schema': 'state-unreadable',
  locked: 'locked',
  unwritable: 'state-write',
};

/** Text that resembles an address of a registry; a path with such a name needs ./ before it. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:https?|npm|oci):)/i;

/** The result of `work` on the catalogue that the options name, or why the file cannot be used. */
export function withCatalogue<T, M extends Mode>(
  options: CatalogueOptions,
  world: World,
  opening: CatalogueOpening<M>,
  work: (catalogue: Opened<M>) => Result<T, Problem>,
): Result<T, Problem> {
  const opened = openCatalogue(options, world, opening);
  if (!opened.ok) return opened;
  try {
    return work(opened.value);
  } catch (error) {
    return { ok: false, error: databaseProblem(error) };
  } finally {
    opened.value.close();
  }
}

export function openCatalogue<M extends Mode>(
  { db }: CatalogueOptions,
  world: World,
  { hasAddress, ...opening }: CatalogueOpening<M>,
): Result<Opened<M>, Problem> {
  const elsewhere = db === undefined ? servedElsewhere(world) : undefined;
  if (elsewhere) return { ok: false, error: elsewhere };
  const path = db ?? defaultDatabase(world);
  if (path === '') return { ok: false, error: usage('--db is empty') };
  if (path === IN_MEMORY) {
    const message = `--db is ${IN_MEMORY}, which would be lost when the command ends: name a file`;
    return { ok: false, error: usage(message) };
  }
  if (path === undefined) {
    const message = 'no registry file is named: pass --db, or set PLATFORM_HOME or HOME';
    return { ok: false, error: usage(message) };
  }
  // The address is not repeated, because it may contain a password.
  if (ADDRESS.test(path)) {
    return { ok: false, error: usage('--db is a file; --registry takes an address') };
  }
  try {
    return { ok: true, value: new Catalogue(path, opening) };
  } catch (error) {
    const problem = databaseProblem(error);
    if (existsSync(path)) return { ok: false, error: problem };
    return { ok: false, error: { ...problem, hint: hintForMissing(db, hasAddress) } };
  }
}

function hintForMissing(db: string | undefined, hasAddress: true | undefined): string {
  if (db !== undefined) {
    return 'check the path; publish, token create, keys init and serve create the file if --create is passed';
  }
  const address = hasAddress ? ', and --registry the address of a registry' : '';
  return `publish, token create, keys init and serve create this file; --db names another one${address}`;
}

/** The problem for a `DatabaseError`. Throws any other error again. */
export function databaseProblem(error: unknown): Problem {
  if (!(error instanceof DatabaseError)) throw error;
  return { severity: 'error', kind: KINDS[error.kind], message: error.message };
}
