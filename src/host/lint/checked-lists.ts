import { placesIn } from '../../config/read-document.ts';
import { lint } from '../../core/lint/lint.ts';
import type { LintFinding } from '../../core/lint/lint-finding.ts';
import type { ModuleId, Result } from '../../core/index.ts';
import { jsonPointer } from '../../core/text/json-pointer.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { CheckedDocument } from '../checked-files.ts';
import { withFound, type CheckedProblem } from '../checked-report.ts';
import type { ListOptions } from '../list-options.ts';
import { listWarnings } from '../list-warnings.ts';
import { unknownIdWarning } from '../machine-id.ts';
import { planFor, type Planned } from '../plan/machine-plan.ts';
import { planDocumentsOf } from '../plan-documents.ts';
import { worded } from './found-problem.ts';
import { otherPlaceOf, placeOf } from './places.ts';

/** A document with what its release lists show. */
export interface CheckedLists {
  readonly files: CheckedDocument['files'];
  /** How many lists the machine needs, and how many could be read; null if the document has errors, and so no plan that says which. */
  readonly lists: { readonly needed: number; readonly read: number } | null;
  /** How the lists were read, and what of them was not. */
  readonly warnings: readonly Problem[];
}

/**
 * Checks a machine config that was read at `path` against the release lists that `modreg plan` would read for it. The error: the lists
 * cannot be asked for.
 */
export async function checkedLists(
  path: string,
  { files, sources }: CheckedDocument,
  options: ListOptions,
  world: World,
): Promise<Result<CheckedLists, Problem[]>> {
  const [file, ...others] = files;
  if (!file || files.some(({ report: { errors } }) => errors > 0)) {
    return { ok: true, value: { files, lists: null, warnings: [] } };
  }
  const { document, policy } = sources;
  const documents = planDocumentsOf({ machine: document, policy }, undefined);
  const planned = await planFor(path, documents, options, world);
  if (!planned.ok) return planned;
  const found = problemsIn(planned.value, document.bytes);
  return {
    ok: true,
    value: {
      files: [{ path: file.path, report: withFound(file.report, found) }, ...others],
      lists: countsOf(planned.value),
      warnings: warningsOf(planned.value),
    },
  };
}

/** Entries of one module share its list. */
function countsOf({ plan, lists }: Planned): NonNullable<CheckedLists['lists']> {
  const needed = new Map<string, boolean>();
  for (const { name, moduleId } of plan.modules) {
    const reading = lists.modules.get(name);
    if (reading) needed.set(moduleId, reading.ok);
  }
  for (const [name, { ok }] of lists.subsystems) needed.set(name, ok);
  return { needed: needed.size, read: [...needed.values()].filter(Boolean).length };
}

function problemsIn(planned: Planned, bytes: Uint8Array): CheckedProblem[] {
  const place = placesIn(bytes);
  return lint(planned.plan).map((finding) => problemOf(finding, planned, place));
}

function problemOf(
  finding: LintFinding,
  { plan, lists }: Planned,
  place: ReturnType<typeof placesIn>,
): CheckedProblem {
  const [path, other] = [placeOf(finding, plan), otherPlaceOf(finding, plan)];
  const { message, suggestion, ...said } = worded(finding, errorOf(finding, lists));
  const also = other && place(other);
  return {
    ...said,
    path: jsonPointer(path),
    ...place(path),
    message: also ? `${message}; see ${also.line}:${also.column}` : message,
    suggestion,
  };
}

function errorOf(
  { row }: LintFinding,
  { modules, subsystems }: Planned['lists'],
): Parameters<typeof worded>[1] {
  const reading = (row.isSubsystem ? subsystems : modules).get(row.name);
  return reading?.ok === false ? reading.error : undefined;
}

function warningsOf({ plan, lists, machineId }: Planned): Problem[] {
  const all = [...lists.modules.values(), ...lists.subsystems.values()];
  const read = all.flatMap((list) => (list.ok ? [list.value] : []));
  const ofLists = new Map<ModuleId, Problem[]>();
  for (const { name, moduleId, decision } of plan.modules) {
    const reading = lists.modules.get(name);
    const { list } = decision.input;
    if (!reading?.ok || 'error' in list) continue;
    ofLists.set(moduleId, listWarnings(moduleId, reading.value, list.index));
  }
  return [...[...ofLists.values()].flat(), ...unknownIdWarning(machineId, read), ...lists.warnings];
}
