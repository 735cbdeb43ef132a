import type { Component } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { inOrder } from './order.ts';

/** A component that stops for a restart. */
export interface Stop {
  /** Its name. */
  readonly component: string;
  /** The stopping components that it depends on; empty for a component of the module that restarts. */
  readonly dependsOn: readonly string[];
}

/** What stops with what. Each list is in the order of stopping: a component before what it depends on. */
export interface Stops {
  /** With these modules: their components, and what depends on them, however far. (Modular resource entry) */
  ofModules(moduleIds: ReadonlySet<ModuleId>): Stop[];
  /** With the server: every component. */
  ofServer(): Stop[];
}

export function stopsOf(components: readonly Component[]): Stops {
  const byName = new Map(components.map((component) => [component.name, component]));
  const ordered = inOrder(components, ({ dependsOn }) =>
    dependsOn.flatMap((name) => byName.get(name) ?? []),
  );
  const places = new Map(ordered.map(({ name }, place) => [name, place]));
  const byModule = Map.groupBy(components, ({ model }) =>
    model.kind === 'modular' ? model.moduleId : undefined,
  );
  const dependencies = components.flatMap(({ name, dependsOn }) =>
    dependsOn.map((on) => ({ name, on })),
  );
  const dependents = Map.groupBy(dependencies, ({ on }) => on);
  return {
    ofModules(moduleIds) {
      const own = [...moduleIds].flatMap((id) => (byModule.get(id) ?? []).map(({ name }) => name));
      const stopping = new Set(own);
      // A set hands out what is added to it meanwhile.
      for (const name of stopping) {
        for (const dependent of dependents.get(name) ?? []) stopping.add(dependent.name);
      }
      const isOwn = new Set(own);
      return [...stopping]
        .toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
        .map((name) => {
          const dependsOn = byName.get(name)?.dependsOn ?? [];
          return {
            component: name,
            dependsOn: isOwn.has(name) ? [] : dependsOn.filter((other) => stopping.has(other)),
          };
        });
    },
    ofServer: () => ordered.map(({ name }) => ({ component: name, dependsOn: [] })),
  };
}
