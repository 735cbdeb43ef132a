import type { Component } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { inOrder } from './order.ts';

/** A component that stops for a restart. */
export interface Stop {
  /** Its name. */
  readonly component: string;
  /**
   * The module that its model is from, which has to stop it; absent if the model is built into the server. A module that
   * only has such components stops them, but is not restarted.
   */
  readonly moduleId?: ModuleId | undefined;
  /** The stopping components that it depends on; empty for a component of the module that restarts. */
  readonly dependsOn: readonly string[];
}

/** Which components stop for a restart. A component stops before the components that it depends on. */
export interface Stops {
  /** The components of this module, and all that depend on them, directly or indirectly. */
  ofModule(moduleId: ModuleId): readonly Stop[];
  /** The same for several modules that restart together. */
  ofModules(moduleIds: ReadonlySet<ModuleId>): readonly Stop[];
  /** Every component, because all stop with the server. */
  ofServer(): readonly Stop[];
}

const STOPS = new WeakMap<readonly Component[], Stops>();

/** Computed once for the components of a config, because every plan needs it. */
export function stopsOf(components: readonly Component[]): Stops {
  const stops = STOPS.get(components) ?? withMemory(compileStops(components));
  STOPS.set(components, stops);
  return stops;
}

function withMemory({ ofModules, ofServer }: Omit<Stops, 'ofModule'>): Stops {
  const byModule = new Map<ModuleId, readonly Stop[]>();
  const ofModule: Stops['ofModule'] = (moduleId) => {
    const stops = byModule.get(moduleId) ?? ofModules(new Set([moduleId]));
    byModule.set(moduleId, stops);
    return stops;
  };
  return { ofModule, ofModules, ofServer };
}

function compileStops(components: readonly Component[]): Omit<Stops, 'ofModule'> {
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
      // Iterating over a set also visits what is added during the iteration.
      for (const name of stopping) {
        for (const dependent of dependents.get(name) ?? []) stopping.add(dependent.name);
      }
      const ownNames = new Set(own);
      return [...stopping]
        .toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
        .flatMap((name) => {
          const component = byName.get(name);
          if (!component) return [];
          const isOwn = ownNames.has(name);
          const { dependsOn } = component;
          return stopOf(component, isOwn ? [] : dependsOn.filter((other) => stopping.has(other)));
        });
    },
    ofServer: () => ordered.map((component) => stopOf(component, [])),
  };
}

function stopOf({ name, model }: Component, dependsOn: readonly string[]): Stop {
  const moduleId = model.kind === 'modular' ? model.moduleId : undefined;
  return { component: name, ...(moduleId && { moduleId }), dependsOn };
}
