import type { ModuleId } from '../releases/module-id.ts';
import type { ActionTarget } from './action.ts';
import { SUBSYSTEM_MODULES } from './subsystem.ts';

/** The module that provides the releases of `target`. */
export function moduleOf(target: ActionTarget): ModuleId {
  return target.kind === 'module' ? target.moduleId : SUBSYSTEM_MODULES[target.name];
}

/** Identifies a target on its machine, whatever its module id. */
export interface TargetName {
  readonly kind: ActionTarget['kind'];
  readonly name: string;
}

/** A key that is unique among targets. It includes the kind, because a module entry may have the name of a subsystem. */
export function keyOf({ kind, name }: TargetName): string {
  return `${kind} ${name}`;
}
