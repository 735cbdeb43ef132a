import type { ActionTarget } from '../../src/core/index.ts';
import type { Delivery } from '../../src/poller/index.ts';
import type { Day, DayOptions } from './day.ts';
import { component, entry } from './planned.ts';

export const SCANNER: object = component('scanner', 'acme:lidar:vlp16');
export const FLOOR: object = component('floor', 'acme:map:grid', 'scanner');
const GRIPPER = component('gripper', 'acme:arm:two-fingers');

const TWO = [{ version: '1.0.0' }, { version: '1.1.0' }];

interface Rover extends DayOptions {
  readonly machine: { readonly components: readonly object[]; readonly modules: readonly object[] };
}

/** A machine whose map needs its lidar, and whose arm is up to date and has nothing to do with either. */
export const ROVER: Rover = {
  machine: {
    components: [FLOOR, SCANNER, GRIPPER],
    modules: [entry('acme:map', '1.*'), entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')],
  },
  deployed: { acme_map: '1.0.0', acme_lidar: '1.0.0', acme_arm: '1.1.0' },
  releases: { 'acme:map': TWO, 'acme:lidar': TWO, 'acme:arm': TWO },
};

/** One with which only the map is out of date. */
export const MAPPER: Rover = { ...ROVER, deployed: { ...ROVER.deployed, acme_lidar: '1.1.0' } };

/** What was last delivered of an entry. */
export function inHand(machine: Day, name: string): Delivery {
  const delivery = machine.deliveries.findLast(({ action }) => action.target.name === name);
  if (!delivery) throw new Error(`nothing of ${name} was delivered`);
  return delivery;
}

/** What was delivered since the story was last asked for: `01:02:33 acme_lidar 1.0.0 → 1.1.0`. */
export function delivered(machine: Day): string[] {
  return machine
    .story()
    .filter((line) => line.includes(' delivered '))
    .map((line) => line.replace('delivered ', ''));
}

/** What an agent answers that knows what runs of one entry. */
export function saying(
  entryName: string,
  running: string | null,
): (target: ActionTarget) => unknown {
  return ({ name }) => (name === entryName ? running : undefined);
}
