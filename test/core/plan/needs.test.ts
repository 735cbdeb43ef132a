import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needsOf } from '../../../src/core/plan/needs.ts';
import { stopsOf } from '../../../src/core/plan/stops.ts';
import type { Component, Model } from '../../../src/core/machine/machine.ts';
import { moduleId } from '../../support/ask.ts';

/** `a lidar < b c`: component a of module lidar depends on b and c. Module `-` stands for a built-in model. */
function componentsOf(...lines: readonly string[]): Component[] {
  return lines.map((line) => {
    const [own = '', on = ''] = line.split(' < ');
    const [name = '', module = ''] = own.split(' ');
    const model: Model =
      module === '-'
        ? { kind: 'built-in', name: 'fake' }
        : { kind: 'modular', moduleId: moduleId(`acme:${module}`), name: 'x' };
    const dependsOn = on.split(' ').filter((other) => other !== '');
    return { name, model, type: 'sensor', namespace: 'rdk', attributes: {}, dependsOn };
  });
}

function needed(components: readonly Component[], module: string): string[] {
  return [...needsOf(components).of(moduleId(`acme:${module}`))].map(
    (id) => id.split(':')[1] ?? '',
  );
}

describe('a module needs', () => {
  it.each<[string, string[], string[]]>([
    ['nothing if it has no components', ['b arm'], []],
    ['the modules that its components depend on', ['a map < b', 'b lidar'], ['lidar']],
    ['not the modules that depend on its components', ['a map', 'b lidar < a'], []],
    ['not itself', ['a map < b', 'b map'], []],
    ['modules behind a built-in component', ['a map < b', 'b - < c', 'c lidar'], ['lidar']],
    ['modules behind another module', ['a map < b', 'b arm < c', 'c lidar'], ['arm', 'lidar']],
    [
      'modules behind a component of its own',
      ['a map < b', 'b arm < c', 'c map < d', 'd lidar'],
      ['arm', 'lidar'],
    ],
    [
      'not the modules that only other components of a needed module depend on',
      ['a map < b', 'b arm', 'c arm < d', 'd lidar'],
      ['arm'],
    ],
    [
      'each module once, the nearest first',
      ['a map < b c', 'b arm < d', 'c lidar', 'd imu < c'],
      ['arm', 'lidar', 'imu'],
    ],
    ['not a component that does not exist', ['a map < z'], []],
  ])('%s', (_, lines, names) => {
    expect(needed(componentsOf(...lines), 'map')).toEqual(names);
  });

  it('exactly the modules whose restart stops one of its components', () => {
    const lines = fc.array(
      fc.tuple(
        fc.constantFrom('-', 'map', 'lidar', 'arm', 'imu'),
        fc.array(fc.nat(7), { maxLength: 3 }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(lines, (made) => {
        const components = componentsOf(
          ...made.map(
            ([module, on], place) => `c${place} ${module} < ${on.map((to) => `c${to}`).join(' ')}`,
          ),
        );
        const owners = new Map(components.map(({ name, model }) => [name, model]));
        const stops = stopsOf(components);
        const stopping = ['map', 'lidar', 'arm', 'imu'].filter((other) => {
          const id = moduleId(`acme:${other}`);
          return stops.ofModules(new Set([id])).some(({ component }) => {
            const model = owners.get(component);
            return other !== 'map' && model?.kind === 'modular' && model.moduleId === 'acme:map';
          });
        });
        expect(needed(components, 'map').toSorted()).toEqual(stopping.toSorted());
      }),
    );
  });
});

describe('leadTo, directly or through other modules', () => {
  const components = componentsOf(
    'a map < b',
    'b lidar',
    'c lidar < d',
    'd arm',
    'e arm < f',
    'f map',
    'g imu < b',
  );
  it.each([
    ['map', 'lidar', true],
    ['map', 'arm', true],
    ['lidar', 'map', true],
    ['imu', 'map', true],
    ['map', 'imu', false],
    ['arm', 'imu', false],
  ])('from %s to %s: %s', (from, to, isLed) => {
    const needs = needsOf(components);
    expect(needs.leadTo(moduleId(`acme:${from}`), moduleId(`acme:${to}`))).toBe(isLed);
  });
});
