import type { TargetName } from '../core/plan/target.ts';
import type { Row } from '../sqlite/statements.ts';

/** The target of a row with the columns `kind` and `name`. */
export function targetIn({ kind, name }: Row): TargetName {
  return { kind: kind === 'subsystem' ? kind : 'module', name: String(name) };
}
