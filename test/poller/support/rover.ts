import type { ActionTarget } from '../../../src/core/index.ts';
import type { Delivery } from '../../../src/poller/index.ts';
import type { Day, DayOptions } from '../../support/day.ts';
import { component, entry } from '../../support/planned.ts';

export const SCANNER: object = component('scanner', 'acme:lidar:vlp16');
export const FLOOR: object = component('floor', 'acme:map:grid', 'scanner');
const GRIPPER = component('gripper', 'acme:arm:two-fingers');

const TWO = [{ version: '1.0.0' }, { version: '1.1.0' }];

interface Rover extends DayOptions {
  readonly machine: { readonly components: readonly object[]; readonly modules: readonly object[] };
}

/** A machine whose map depends on its lidar; the arm is up to date and independent of both. */
export const ROVER: Rover = {
  machine: {
    components: [FLOOR, SCANNER, GRIPPER],
    modules: [entry('acme:map', '1.*'), entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')],
  },
  deployed: { acme_map: '1.0.0', acme_lidar: '1.0.0', acme_arm: '1.1.0' },
  releases: { 'acme:map': TWO, 'acme:lidar': TWO, 'acme:arm': TWO },
};

/** The same machine with only the map out of date. */
export const MAPPER: Rover = { ...ROVER, deployed: { ...ROVER.deployed, acme_lidar: '1.1.0' } };

/** The last delivery for an entry. */
export function inHand(machine: Day, name: string): Delivery {
  const delivery = machine.deliveries.findLast(({ action }) => action.target.name === name);
  if (!delivery) throw new Error(`no action of ${name} was delivered`);
  return delivery;
}

/** The deliveries since the last call of `story` or `delivered`: `01:02:33 acme_lidar 1.0.0 → 1.1.0`. */
export function delivered(machine: Day): string[] {
  return machine
    .story()
    .filter((line) => line.includes(' delivered '))
    .map((line) => line.replace('delivered ', ''));
}

/** A `deployedVersion` callback that knows the version of one entry only. */
export function saying(
  entryName: string,
  running: string | null,
): (target: ActionTarget) => unknown {
  return ({ name }) => (name === entryName ? running : undefined);
}
