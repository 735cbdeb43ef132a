import { existsSync } from 'node:fs';
import { parseModuleId, type ModuleId, type Result } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import { Catalogue } from '../server/catalogue/catalogue.ts';
import { IN_MEMORY, type Opening } from '../sqlite/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
import type { ErrorKind } from '../base/codes.ts';
import { failed, parseProblem, usage, type Outcome, type Problem } from '../base/problem.ts';
import { defaultDatabase } from '../host/registry-choice.ts';
import type { World } from '../base/world.ts';

/** The options that every `modreg registry` command has. */
export interface CatalogueOptions {
  readonly db?: string;
  readonly json?: true;
}

/** Says which file was changed if MODREG_REGISTRY is set, because that names the registry of other commands only. */
export function changedFileNotes({ db }: CatalogueOptions, world: World): string[] {
  const path = db ?? defaultDatabase(world);
  if (db !== undefined || path === undefined || !world.environment['MODREG_REGISTRY']) return [];
  return [
    `note: the file ${excerpt(path)} has the change: MODREG_REGISTRY is not used here, --registry names the address of a registry`,
  ];
}

/** The options of a command that can create the file. */
export interface CreatingOptions extends CatalogueOptions {
  readonly create?: true;
}

/** How a registry's file is opened. */
interface CatalogueOpening extends Pick<Opening, 'busyTimeoutMs'> {
  readonly mode: Exclude<Opening['mode'], 'inspect'>;
  /** Whether the command has `--registry`, too. */
  readonly hasAddress?: true;
}

/** How such a command opens the file: only a path that was not typed is created without `--create`. */
export function modeOf({ db, create }: CreatingOptions): Pick<CatalogueOpening, 'mode'> {
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

/** Returns the outcome of `work` on the catalogue that the options name, or why the file cannot be used. */
export function withCatalogue(
  options: CatalogueOptions,
  world: World,
  opening: Partial<CatalogueOpening>,
  work: (catalogue: Catalogue) => Outcome,
): Outcome {
  const opened = openCatalogue(options, world, opening);
  if (!opened.ok) return failed(opened.error);
  try {
    return work(opened.value);
  } catch (error) {
    return failed(databaseProblem(error));
  } finally {
    opened.value.close();
  }
}

export function openCatalogue(
  { db }: CatalogueOptions,
  world: World,
  { hasAddress, ...opening }: Partial<CatalogueOpening>,
): Result<Catalogue, Problem> {
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
    return 'check the path; publish, token create and serve create the file if --create is passed';
  }
  const address = hasAddress ? ', and --registry the address of a registry' : '';
  return `publish, token create and serve create this file; --db names another one${address}`;
}

/** Runs `answer` for the module that `text` names, or returns why it is not a module_id. */
export function withModuleId<T extends Outcome | Promise<Outcome>>(
  text: string,
  answer: (moduleId: ModuleId) => T,
): T | Outcome {
  const moduleId = parseModuleId(text);
  return moduleId.ok ? answer(moduleId.value) : failed(parseProblem(moduleId.error));
}

/** The problem for a `DatabaseError`. Throws any other error again. */
export function databaseProblem(error: unknown): Problem {
  if (!(error instanceof DatabaseError)) throw error;
  return { severity: 'error', kind: KINDS[error.kind], message: error.message };
}
