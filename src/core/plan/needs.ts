import type { Component } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';

/** Which modules a module needs: those whose restart stops one of its components. */
export interface Needs {
  /** All modules that `moduleId` needs through its components, except itself. The nearest comes first. Computed lazily. */
  of(moduleId: ModuleId): Iterable<ModuleId>;
  /** Whether `moduleId` needs `other`, directly or through other modules. */
  leadTo(moduleId: ModuleId, other: ModuleId): boolean;
}

const NEEDS = new WeakMap<readonly Component[], Needs>();

/** Computed once for each list of components. */
export function needsOf(components: readonly Component[]): Needs {
  const known = NEEDS.get(components) ?? needsBetween(components);
  NEEDS.set(components, known);
  return known;
}

function needsBetween(components: readonly Component[]): Needs {
  const byName = new Map(components.map((component) => [component.name, component]));
  const byModule = Map.groupBy(components, ({ model }) =>
    model.kind === 'modular' ? model.moduleId : undefined,
  );
  function* of(moduleId: ModuleId): Generator<ModuleId> {
    const reached = new Set(byModule.get(moduleId));
    const found = new Set([moduleId]);
    // Iterating over a set also visits what is added during the iteration.
    for (const { model, dependsOn } of reached) {
      for (const name of dependsOn) {
        const component = byName.get(name);
        if (component) reached.add(component);
      }
      if (model.kind === 'built-in' || found.has(model.moduleId)) continue;
      found.add(model.moduleId);
      yield model.moduleId;
    }
  }
  return {
    of,
    leadTo(moduleId, other) {
      const reached = new Set([moduleId]);
      for (const one of reached) {
        if (one === other) return true;
        for (const needed of of(one)) reached.add(needed);
      }
      return false;
    },
  };
}
