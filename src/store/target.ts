import { SUBSYSTEM_MODULES, type ActionTarget, type ModuleId } from '../core/index.ts';
import type { Row } from '../sqlite/statements.ts';

/** The module whose releases `target` runs. */
export function moduleOf(target: ActionTarget): ModuleId {
  return target.kind === 'module' ? target.moduleId : SUBSYSTEM_MODULES[target.name];
}

interface TargetName {
  readonly kind: ActionTarget['kind'];
  readonly name: string;
}

/** The same for the same target: a module entry may be called like a subsystem. */
export function keyOf({ kind, name }: TargetName): string {
  return `${kind} ${name}`;
}

/** What a row with the columns `kind` and `name` is about. */
export function targetIn({ kind, name }: Row): TargetName {
  return { kind: kind === 'subsystem' ? kind : 'module', name: String(name) };
}
