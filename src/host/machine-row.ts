import {
  parseModuleId,
  parseVersion,
  type ActionTarget,
  type ModuleId,
  type Result,
} from '../core/index.ts';
import { refusedBranch } from '../core/releases/quarantine.ts';
import type { ParseError } from '../core/text/parse-error.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { firstFew } from '../core/text/few.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { reportedText } from '../core/explanation/decision-words.ts';
import { labelOf } from '../core/explanation/plan-cells.ts';
import type { MachineState } from '../store/machine-state.ts';
import { parseProblem, type Problem } from '../base/problem.ts';

/** How many modules are named. */
const NAMED = 10;

/** Whether a row is shown. A subsystem whose deployed version is unknown is not: a machine need not report it. */
export function isReported(decision: LoggedDecision, memory: MachineMemory): boolean {
  return decision.kind === 'module' || memory.of(targetOf(decision)).deployed.kind !== 'unknown';
}

/** The module or subsystem that `decision` is about. */
export function targetOf({ kind, name, moduleId }: LoggedDecision): ActionTarget {
  if (kind === 'module') return { kind, name, moduleId: moduleId as ModuleId };
  return { kind, name: name === 'platform-agent' ? name : 'platform-server' };
}

/** The label of a row: the module_id with the entry name if that is unusual, or the name of the subsystem. */
export function labelFor({
  kind,
  name,
  moduleId,
}: Pick<LoggedDecision, 'kind' | 'name' | 'moduleId'>): string {
  return kind === 'module' ? labelOf({ name, moduleId: moduleId as ModuleId }) : name;
}

/** The deployed version and why it was yanked, by the list of the last round; undefined if it was not. */
export function deployedYank(
  decision: LoggedDecision,
  memory: MachineMemory,
): LoggedDecision['deployedYanked'] {
  const { deployedYanked } = decision;
  const version = reportedText(memory.of(targetOf(decision)).deployed);
  // Another version may be deployed since.
  return deployedYanked?.version === version ? deployedYanked : undefined;
}

/** Whether what is deployed should not run, by the last round: it was yanked, or the policy refuses it (D293). */
export function isUnfit(decision: LoggedDecision, memory: MachineMemory): boolean {
  if (deployedYank(decision, memory)) return true;
  const { deployedUnfit } = decision;
  const version = reportedText(memory.of(targetOf(decision)).deployed);
  return deployedUnfit !== undefined && deployedUnfit === version;
}

/** The decision in `rows` on the module or subsystem that `text` names, by the name of its entry or else by its module_id. */
export function rowNamed(
  text: string,
  rows: readonly LoggedDecision[],
): Result<LoggedDecision, Problem[]> {
  const named = rows.filter(({ name }) => name === text);
  const matching = named.length > 0 ? named : rows.filter(({ moduleId }) => moduleId === text);
  const [row, other] = matching;
  if (row && !other) return { ok: true, value: row };
  const severity = 'error';
  if (row) {
    const hasDuplicates = new Set(matching.map(({ name }) => name)).size < matching.length;
    const names = matching
      .map(({ name, moduleId }) => (hasDuplicates ? moduleId : name))
      .join(', ');
    const message = `${quote(text)} names several entries`;
    return { ok: false, error: [{ severity, kind: 'usage', message, hint: `name one: ${names}` }] };
  }
  const names = rows.flatMap(({ name, moduleId }) => [name, moduleId]);
  const message = `${quote(text)} names no module or subsystem that this machine decides on`;
  const [bare = ''] = text.split('@');
  const suggestion = names.includes(bare) ? bare : nearestWord(text, names);
  const hint = knownRows(rows);
  return { ok: false, error: [{ severity, kind: 'unknown-reference', message, suggestion, hint }] };
}

/** The modules and subsystems that can be named; undefined before the first round. */
function knownRows(rows: readonly LoggedDecision[]): string | undefined {
  const known = new Set(rows.map((row) => excerpt(labelFor(row))));
  return known.size === 0
    ? undefined
    : `this machine knows ${firstFew([...known], NAMED).join(', ')}`;
}

/**
 * The module and the version, or `1.3.*` or `1.*`, that an operator names, the module by the name of its entry or its module_id;
 * else every mistake.
 */
export function versionOfModule(
  [named, versionText]: readonly [module: string, version: string],
  state: MachineState,
): Result<readonly [ModuleId, version: string], Problem[]> {
  const entry = state.decisions().find(({ name }) => name === named);
  const moduleId = parseModuleId(entry?.moduleId ?? named);
  const version = refusedBranch(versionText)
    ? ({ ok: true, value: { text: versionText } } as const)
    : parseVersion(versionText);
  if (moduleId.ok && version.ok) return { ok: true, value: [moduleId.value, version.value.text] };
  const errors = [
    ...(moduleId.ok ? [] : [withNearest(moduleId.error, state)]),
    ...(version.ok ? [] : [version.error]),
  ];
  return { ok: false, error: errors.map(parseProblem) };
}

/** The same with the name of a module of this machine that is near, unless the parser knows what was meant. */
function withNearest(
  error: ParseError<'bad-module-id'>,
  state: MachineState,
): ParseError<'bad-module-id'> {
  const refused = state.memory().quarantine.map(({ moduleId }) => moduleId);
  const names = state.decisions().flatMap(({ name, moduleId }) => [name, moduleId]);
  const suggestion = error.suggestion ?? nearestWord(error.text, [...names, ...refused]);
  return { ...error, suggestion };
}
