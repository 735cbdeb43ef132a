import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { component, entry, known, plan } from '../../support/planned.ts';
import { RUNS } from '../../support/runs.ts';

const MODULES = ['a', 'b', 'c', 'd'];

interface RandomComponent {
  readonly name: string;
  /** The module that provides its model; undefined for a built-in model. */
  readonly module: string | undefined;
  readonly dependsOn: readonly string[];
}

/** Components without a dependency cycle, in random order, and the modules that are due and installed. */
const situations = fc
  .record({
    parts: fc.array(
      fc.record({
        module: fc.constantFrom(...MODULES, undefined),
        dependsOn: fc.array(fc.nat(9), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    order: fc.array(fc.nat(99), { minLength: 8, maxLength: 8 }),
    due: fc.subarray(MODULES),
    installed: fc.subarray(MODULES),
  })
  .map(({ parts, order, due, installed }) => {
    const named = parts.map(({ module, dependsOn }, place): RandomComponent => {
      const before = place === 0 ? [] : dependsOn.map((other) => `p${other % place}`);
      return { name: `p${place}`, module, dependsOn: [...new Set(before)] };
    });
    const rank = new Map(named.map(({ name }, place) => [name, order[place] ?? 0]));
    const shuffled = named.toSorted((x, y) => (rank.get(x.name) ?? 0) - (rank.get(y.name) ?? 0));
    return { parts: shuffled, due, installed };
  });

/** All components that stop with these modules, found by repeated passes over all components. */
function stoppedWith(parts: readonly RandomComponent[], modules: readonly string[]): Set<string> {
  const stopped = new Set(
    parts.flatMap(({ name, module }) =>
      module !== undefined && modules.includes(module) ? [name] : [],
    ),
  );
  for (let size = -1; size !== stopped.size;) {
    size = stopped.size;
    for (const { name, dependsOn } of parts) {
      if (dependsOn.some((other) => stopped.has(other))) stopped.add(name);
    }
  }
  return stopped;
}

/** The modules among `modules` that `module` depends on, directly or through others. */
function neededBy(
  parts: readonly RandomComponent[],
  module: string,
  modules: readonly string[],
): Set<string> {
  const needed = new Set([module]);
  for (const one of needed) {
    for (const other of modules) {
      const stopped = stoppedWith(parts, [other]);
      if (parts.some((part) => part.module === one && stopped.has(part.name))) needed.add(other);
    }
  }
  return needed;
}

function restartsIn(
  parts: readonly RandomComponent[],
  due: readonly string[],
  installed: readonly string[],
) {
  const used = MODULES.map((module) => entry(`acme:${module}`, '1.*'));
  const components = parts.map(({ name, module, dependsOn }) =>
    component(name, module === undefined ? 'gpio' : `acme:${module}:x`, ...dependsOn),
  );
  const states = MODULES.map((module) => {
    const deployed = due.includes(module) ? '1.0.0' : '1.1.0';
    return [
      `acme_${module}`,
      known(installed.includes(module) ? deployed : null, ['1.1.0']),
    ] as const;
  });
  return plan({ modules: used, components }, Object.fromEntries(states)).restarts.map(
    ({ actions, stops }) => ({
      modules: actions.map(({ to, from, target }) => {
        return { name: target.name.slice('acme_'.length), isInstall: from === undefined, to };
      }),
      stops: stops.map((stop) => stop.component),
    }),
  );
}

describe('the restarts of a plan', () => {
  it('stop every component that depends on their modules, once, and before the components that it depends on', () => {
    const property = fc.property(situations, ({ parts, due, installed }) => {
      const restarts = restartsIn(parts, due, installed);
      const restarted = due.filter((module) => installed.includes(module));
      const stops = restarts.flatMap((restart) => restart.stops);
      expect(new Set(stops)).toEqual(stoppedWith(parts, restarted));
      expect(new Set(stops).size).toBe(stops.length);
      for (const restart of restarts) {
        const running = restart.modules.filter(({ isInstall }) => !isInstall);
        const names = running.map(({ name }) => name);
        expect(new Set(restart.stops)).toEqual(stoppedWith(parts, names));
        for (const { name, dependsOn } of parts.filter((part) =>
          restart.stops.includes(part.name),
        )) {
          const later = dependsOn.filter((other) => restart.stops.includes(other));
          const places = later.map((other) => restart.stops.indexOf(other));
          expect(Math.min(...places, Infinity)).toBeGreaterThan(restart.stops.indexOf(name));
        }
      }
    });
    fc.assert(property, { numRuns: RUNS.numRuns / 5 });
  });

  it('replace a module before the modules that depend on it, unless it depends on them as well', () => {
    const property = fc.property(situations, ({ parts, due, installed }) => {
      const order = restartsIn(parts, due, installed).flatMap(({ modules }) =>
        modules.map(({ name }) => name),
      );
      const needed = new Map(order.map((one) => [one, neededBy(parts, one, order)]));
      const dependsOn = (one: string, other: string): boolean =>
        needed.get(one)?.has(other) ?? false;
      for (const [place, one] of order.entries()) {
        for (const other of order.slice(place + 1)) {
          expect(dependsOn(one, other) && !dependsOn(other, one)).toBe(false);
        }
      }
    });
    fc.assert(property, { numRuns: RUNS.numRuns / 5 });
  });
});
