import type { TimeContext } from '../core/text/time-words.ts';
import { timeZoneIn } from '../store/facts.ts';
import type { MachineState } from '../store/machine-state.ts';
import type { World } from '../base/world.ts';

/** How times are shown that concern a module, by its module_id: in the time zone that the policy had for it last, else in that of another module. */
export function timesOn(state: MachineState, world: World): (moduleId: string) => TimeContext {
  const zones = new Map(
    state.newestInHistory().flatMap(({ moduleId, facts }) => {
      const zone = timeZoneIn(facts);
      return zone === undefined ? [] : [[moduleId, zone]];
    }),
  );
  const [other] = zones.values();
  const now = world.clock();
  return (moduleId) => ({ now, timeZone: zones.get(moduleId) ?? other });
}
