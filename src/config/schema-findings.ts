import * as v from 'valibot';
import type { Path } from '../core/text/json-pointer.ts';
import { parseModuleId } from '../core/index.ts';
import { faultOf, type Schema, type Suggest } from './fields/fields.ts';
import type { Finding } from './fault.ts';

/** Reads `value` with `schema`. Reports at most one finding for each path. */
export function applySchema<T>(
  schema: Schema<T>,
  value: unknown,
): { readonly output: T | undefined; readonly findings: readonly Finding[] } {
  const result = v.safeParse(schema, value);
  if (result.success) return { output: result.output, findings: [] };
  const findings: Finding[] = [];
  let last: Path | undefined;
  for (const issue of result.issues) {
    const keys = issue.path?.map(({ key }) => key as string | number) ?? [];
    // A number that is neither whole nor in range has two issues at one path: report only the first.
    if (last && last.length === keys.length && last.every((step, at) => step === keys[at]))
      continue;
    last = keys;
    findings.push(findingOf(issue, keys));
  }
  return { output: undefined, findings };
}

function findingOf(issue: v.BaseIssue<unknown>, keys: Path): Finding {
  const { kind, message, suggestion } = faultOf(issue.message);
  const step = issue.path?.at(-1);
  if (kind === 'missing') return missing(message, keys, step?.input);
  const end = step && 'origin' in step && step.origin === 'key' ? 'key' : 'value';
  const later =
    issue.type === 'raw_transform' ? (issue.requirement as Suggest | undefined) : undefined;
  const suggest = (): string | undefined => suggestion ?? later?.(String(issue.input));
  return { kind, path: keys, end, isNameHidden: end === 'key', message, suggest };
}

/** A missing field has no position of its own, so the finding points at the object that lacks it. */
function missing(message: string, keys: Path, parent: unknown): Finding {
  const path = keys.slice(0, -1);
  if (keys.at(-1) !== 'version') return { kind: 'missing', path, message };
  // A missing version is an error and does not mean `latest` (T1).
  const id = parseModuleId((parent as { readonly module_id?: unknown } | undefined)?.module_id);
  const command = `modreg resolve ${id.ok ? id.value : '<module_id>'} latest`;
  const hint = `a new module is pinned to its newest release; ${command} prints it`;
  return { kind: 'bad-constraint', path, message, hint };
}
