import type { DocumentProblem, DocumentResult, Machine, UpdatePolicy } from '../../config/index.ts';
import { readMachine } from '../../config/read-document.ts';
import { readJson } from '../../config/text/json-document.ts';
import { positionIn } from '../../config/text/position.ts';
import type { ModuleId, Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { adviceOn } from '../../config/report.ts';
import { documentWithErrors, lastingWarnings } from '../../host/document-findings.ts';
import { readRegularFile, STDIN, type DocumentFile } from '../../host/document-file.ts';
import { readPolicy } from '../../host/plan-documents.ts';
import { usage, type Problem } from '../../base/problem.ts';

/** A machine config that can be edited. */
export interface EditedMachine {
  readonly file: DocumentFile;
  readonly text: string;
  readonly modules: readonly WrittenEntry[];
  readonly policy: UpdatePolicy;
  /** Unknown fields of both documents. */
  readonly warnings: readonly Problem[];
}

/** A module entry as the document has it. */
export interface WrittenEntry {
  readonly type: 'registry' | 'local';
  readonly name: string;
  readonly module_id: string;
  /** A constraint, unless the module is local. */
  readonly version?: unknown;
}

/** The path of a component's model. It may name a module that has no entry yet. */
const MODEL = /^\/components\/\d+\/model$/;

/**
 * Reads the machine config at `path` and its policy. A document with errors is refused, except if components only lack their
 * modules: one of them may be added now.
 */
export function readEdited(
  path: string,
  policyPath: string | undefined,
): Result<EditedMachine, Problem[]> {
  if (path === STDIN) {
    return { ok: false, error: [usage('- is stdin, which cannot be edited: name a file')] };
  }
  const file = readRegularFile(path);
  const policy = readPolicy(path, policyPath);
  if (!file.ok || !policy.ok) {
    return { ok: false, error: [file, policy].flatMap((read) => (read.ok ? [] : [read.error])) };
  }
  const { bytes, mode } = file.value;
  const read = readMachine(bytes, { policy: policy.value.policy, mode });
  if (hasOtherErrors(read)) {
    return { ok: false, error: [documentWithErrors('the machine config', path, read, 'machine')] };
  }
  const text = Buffer.from(bytes).toString('utf8');
  // A cast: no entry has an error.
  const { modules = [] } = readJson(text).value as { readonly modules?: readonly WrittenEntry[] };
  const warnings = [...lastingWarnings(path, read), ...policy.value.warnings];
  const value = { file: file.value, text, modules, policy: policy.value.policy, warnings };
  return { ok: true, value };
}

/** The warnings that components lack their modules in `text`; the error that it is no longer a machine config, `after` the edit. */
export function checkEdited(
  { file, policy }: EditedMachine,
  text: string,
  after = 'with this module',
): Result<Problem[], Problem> {
  const bytes = Buffer.from(text);
  const read = readMachine(bytes, { policy, mode: file.mode });
  if (!hasOtherErrors(read)) {
    return {
      ok: true,
      value: read.problems.filter(isMissingModule).map((one) => asWarning(file.path, one)),
    };
  }
  return { ok: false, error: documentWithErrors(`${after}, the machine config`, file.path, read) };
}

/** The problem that the module or the name has an entry already. */
export function conflictWith(
  { file, text, modules }: EditedMachine,
  { moduleId, name }: { readonly moduleId: ModuleId; readonly name: string },
): Problem | undefined {
  const sameId = modules.findIndex(({ module_id }) => module_id === moduleId);
  const place = sameId === -1 ? modules.findIndex((entry) => entry.name === name) : sameId;
  const entry = modules[place];
  if (!entry) return undefined;
  const { line, column } = positionIn(text, readJson(text).offsetOf(['modules', place], 'value'));
  const isLocal = entry.type === 'local';
  const how = isLocal ? 'a local module' : `version ${excerpt(String(entry.version))}`;
  const found = `the module entry ${excerpt(entry.name)} of ${entry.module_id}, ${how}`;
  const at = `${excerpt(file.path)}:${line}:${column}`;
  const problem = { severity: 'error', kind: 'duplicate-name' } as const;
  if (sameId === -1) {
    const message = `${at} has ${found}, and a name must be unique; nothing was changed`;
    return { ...problem, message, hint: 'name the new entry with --name' };
  }
  const message = `${at} already has ${found}; nothing was changed`;
  const hint = isLocal
    ? 'to use releases of a registry, set its "type" to "registry" and its "version" to a constraint'
    : 'to accept other releases, change its "version"';
  return { ...problem, message, hint };
}

/** Whether a document has other errors than components whose modules have no entry. */
function hasOtherErrors({ errors, problems }: DocumentResult<Machine>): boolean {
  return problems.filter(isMissingModule).length < errors;
}

function isMissingModule({ kind, path }: DocumentProblem): boolean {
  return (kind === 'unknown-reference' || kind === 'model-mismatch') && MODEL.test(path);
}

function asWarning(path: string, problem: DocumentProblem): Problem {
  const message = `${excerpt(path)}:${problem.line}:${problem.column} ${problem.path}: ${adviceOn(problem)}`;
  return { severity: 'warning', kind: 'unknown-reference', message };
}
