import type { Plan } from '../../../src/core/index.ts';
import { entry, component, known, plan as planOf } from '../../support/planned.ts';

/** Module `place` of a fleet. Their states and versions differ. */
function moduleAt(place: number): { readonly constraint: string; readonly deployed: string } {
  const patch = (place * 7) % 40;
  const constraints = [`1.${place % 9}.*`, '1.*', `1.${place % 9}.${patch}`, '3.*', 'latest'];
  const constraint = constraints[place % constraints.length] ?? 'latest';
  return { constraint, deployed: `1.${place % 9}.${patch}` };
}

function nameOf(place: number): string {
  return `acme:sensor-${place}`;
}

/** The plan of a machine with `count` modules that differ in everything. */
export function largePlan(count: number): Plan {
  const places = Array.from({ length: count }, (_, place) => place);
  return planOf(
    {
      modules: places.map((place) => entry(nameOf(place), moduleAt(place).constraint)),
      components: places.map((place) => component(`part-${place}`, `${nameOf(place)}:x`)),
    },
    Object.fromEntries(
      places.map((place) => {
        const { deployed } = moduleAt(place);
        const [major = '', minor = '', patch = ''] = deployed.split('.');
        const newer = `${major}.${minor}.${Number(patch) + 1}`;
        return [nameOf(place).replace(':', '_'), known(deployed, [deployed, newer])];
      }),
    ),
  );
}
