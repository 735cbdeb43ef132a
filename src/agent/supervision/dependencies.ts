import type { Stop } from '../../core/index.ts';
import type { Machine, ModuleEntry } from '../../core/machine/machine.ts';

/**
 * The module entries that each entry depends on, by name: entries whose components a component of its own requires,
 * directly or through others. Entries that depend on each other do not wait for each other.
 */
export function dependenciesOf({
  modules,
  components,
}: Machine): ReadonlyMap<string, ReadonlySet<string>> {
  const moduleOf = new Map(
    components.map(({ name, model }) => [
      name,
      model.kind === 'modular' ? model.moduleId : undefined,
    ]),
  );
  const byName = new Map(components.map((component) => [component.name, component]));
  const entriesOf = Map.groupBy(modules, ({ moduleId }) => moduleId);
  const all = new Map(
    modules.map(({ name, moduleId }) => {
      const own = components.filter((one) => moduleOf.get(one.name) === moduleId);
      // Iterating over a set also visits what is added during the iteration.
      const required = new Set(own.flatMap(({ dependsOn }) => dependsOn));
      for (const component of required) {
        for (const next of byName.get(component)?.dependsOn ?? []) required.add(next);
      }
      const names = [...required].flatMap((component) => {
        const id = moduleOf.get(component);
        return id === undefined || id === moduleId
          ? []
          : (entriesOf.get(id) ?? []).map((one) => one.name);
      });
      return [name, new Set(names)];
    }),
  );
  return new Map(
    Array.from(all, ([name, names]) => [
      name,
      new Set([...names].filter((other) => !all.get(other)?.has(name))),
    ]),
  );
}

/** The entries in the order in which they stop: each layer at once, dependents before what they depend on. */
export function stopLayers(
  names: readonly string[],
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): string[][] {
  const layers: string[][] = [];
  let left = names;
  while (left.length > 0) {
    const required = new Set(left.flatMap((name) => [...(dependencies.get(name) ?? [])]));
    const free = left.filter((name) => !required.has(name));
    // Without a cycle there is always one that nothing requires.
    const layer = free.length > 0 ? free : left;
    layers.push([...layer]);
    left = left.filter((name) => !layer.includes(name));
  }
  return layers;
}

/** The entries whose components stop while `name` is replaced, without those of its own module, in the order in which they stop. */
export function stoppedWith(
  name: string,
  stops: readonly Stop[],
  entries: readonly ModuleEntry[],
): string[] {
  const ids = new Set(stops.map(({ moduleId }) => moduleId));
  ids.delete(entries.find((entry) => entry.name === name)?.moduleId);
  return [...ids].flatMap((id) =>
    entries.flatMap((entry) => (entry.moduleId === id ? entry.name : [])),
  );
}

/** Each module that no longer depends on another one, and that one. */
export function endedDependencies(
  before: ReadonlyMap<string, ReadonlySet<string>>,
  now: ReadonlyMap<string, ReadonlySet<string>>,
): (readonly [string, string])[] {
  return Array.from(before, ([name, others]) =>
    [...others].flatMap((other) =>
      now.get(name)?.has(other) === true ? [] : [[name, other] as const],
    ),
  ).flat();
}
