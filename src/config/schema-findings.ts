import * as v from 'valibot';
import type { Path } from '../core/json-pointer.ts';
import { faultOf, type Schema } from './fields.ts';
import type { Fault, Finding } from './fault.ts';

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
    const fault = faultOf(issue.message);
    // Of a number that is neither whole nor in range, the first thing is enough.
    if (last && last.length === keys.length && last.every((step, at) => step === keys[at]))
      continue;
    last = keys;
    findings.push(findingOf(fault, keys, issue.path?.at(-1)));
  }
  return { output: undefined, findings };
}

function findingOf(fault: Fault, keys: Path, step: v.IssuePathItem | undefined): Finding {
  const { kind, message, hint, suggestion } = fault;
  if (kind === 'missing') return missing(message, keys);
  const end = step && 'origin' in step && step.origin === 'key' ? 'key' : 'value';
  return { kind, path: keys, end, message, suggest: () => suggestion, hint };
}

/** A field that is not there has no place of its own, so what should hold it is named. */
function missing(message: string, keys: Path): Finding {
  const path = keys.slice(0, -1);
  if (keys.at(-1) !== 'version') return { kind: 'missing', path, message };
  // Nothing is not a constraint, least of all `latest`. (Versioning, Module version types)
  const hint =
    'a new module is pinned to its newest release, which modreg resolve <module_id> latest prints';
  return { kind: 'bad-constraint', path, message, hint };
}
