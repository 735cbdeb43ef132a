import type { Component } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';

/** What modules need of each other: one needs those whose restart would stop a component of it. */
export interface Needs {
  /** What `moduleId` needs, however far, itself left out: the nearest first, and found as it is asked for. */
  of(moduleId: ModuleId): Iterable<ModuleId>;
  /** Whether a module needs `other`, or needs one that does, and so on. */
  leadTo(moduleId: ModuleId, other: ModuleId): boolean;
}

const NEEDS = new WeakMap<readonly Component[], Needs>();

/** Made once for a list of components. */
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
    // A set hands out what is added to it meanwhile.
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
