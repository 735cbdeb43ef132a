import { parseModuleId, type ModuleId, type Result } from '../../core/index.ts';
import { Catalogue } from '../../server/catalogue.ts';
import type { Opening } from '../../sqlite/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../sqlite/database-error.ts';
import type { ErrorKind } from '../codes.ts';
import { parseProblem, type Outcome, type Problem } from '../problem.ts';
import { defaultDatabase } from './registry-choice.ts';
import type { World } from '../world.ts';

/** The options that every `modreg registry` command has. */
export interface CatalogueOptions {
  readonly db?: string;
  readonly json?: true;
}

const KINDS: Readonly<Record<DatabaseErrorKind, ErrorKind>> = {
  missing: 'unreadable-file',
  damaged: 'state-unreadable',
  unreadable: 'state-unreadable',
  'later-schema': 'state-unreadable',
  locked: 'locked',
  unwritable: 'state-write',
};

/** Returns the outcome of `work` on the catalogue that the options name, or why the file cannot be used. */
export function withCatalogue(
  options: CatalogueOptions,
  world: World,
  opening: Partial<Opening>,
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
  opening: Partial<Opening>,
): Result<Catalogue, Problem> {
  const path = db ?? defaultDatabase(world);
  if (path === '')
    return { ok: false, error: { severity: 'error', kind: 'usage', message: '--db is empty' } };
  if (path === undefined) {
    const message = 'no registry file is named: pass --db, or set PLATFORM_HOME or HOME';
    return { ok: false, error: { severity: 'error', kind: 'usage', message } };
  }
  try {
    return { ok: true, value: new Catalogue(path, opening) };
  } catch (error) {
    return { ok: false, error: databaseProblem(error) };
  }
}

/** Runs `answer` for the module that `text` names, or returns why it is not a module_id. */
export function withModuleId(text: string, answer: (moduleId: ModuleId) => Outcome): Outcome {
  const moduleId = parseModuleId(text);
  return moduleId.ok ? answer(moduleId.value) : failed(parseProblem(moduleId.error));
}

export function failed(...problems: readonly Problem[]): Outcome {
  return { answer: [], notes: [], problems };
}

/** The problem for a `DatabaseError`. Throws any other error again. */
export function databaseProblem(error: unknown): Problem {
  if (!(error instanceof DatabaseError)) throw error;
  const hint = error.kind === 'missing' ? 'modreg registry publish creates it' : undefined;
  return { severity: 'error', kind: KINDS[error.kind], message: error.message, hint };
}
