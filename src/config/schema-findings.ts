import * as v from 'valibot';
import type { Path } from '../core/text/json-pointer.ts';
import { parseModuleId } from '../core/index.ts';
import { faultOf, type Schema, type Suggest } from './fields/fields.ts';
import type { Finding } from './fault.ts';

/** What `schema` reads of `value`, and what it finds, once a place. */
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
    // Of a number that is neither whole nor in range, the first thing is enough.
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

/** A field that is not there has no place of its own, so what should hold it is named. */
function missing(message: string, keys: Path, around: unknown): Finding {
  const path = keys.slice(0, -1);
  if (keys.at(-1) !== 'version') return { kind: 'missing', path, message };
  // Nothing is not a constraint, least of all `latest`. (Versioning, Module version types)
  const id = parseModuleId((around as { readonly module_id?: unknown } | undefined)?.module_id);
  const command = `modreg resolve ${id.ok ? id.value : '<module_id>'} latest`;
  const hint = `a new module is pinned to its newest release, which ${command} prints`;
  return { kind: 'bad-constraint', path, message, hint };
}
