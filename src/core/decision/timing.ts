import { operatorHold } from './operator-hold.ts';
import { isInForce, passes, type UpgradeRequest } from './upgrade-request.ts';
import {
  inBlackout,
  maintenanceNotAllowed,
  restartCooldown,
  restartCeiling,
  serverBusy,
  unknownField,
  vetoed,
  windowClosed,
  type Hold,
  type Timing,
  type TimingPolicy,
} from './timing-policies.ts';

/** The direction of a replacement, relative to the deployed version. Nothing holds a rollback. */
export type Direction = 'install' | 'upgrade' | 'downgrade' | 'rollback' | 'restart';

/** All reasons that hold now, and the earliest time at which none does; `until` is undefined if that is not known. */
export interface Held {
  readonly because: readonly Hold[];
  readonly until: number | undefined;
}

/** What people said, to modreg or in a document. One policy, because a plan asks each about each module. */
const byPeople: TimingPolicy = (timing, at) => {
  if (!timing.unknownFields) return operatorHold(timing, at);
  return [operatorHold(timing, at) ?? [], unknownField(timing, at) ?? []].flat();
};
const MAINTENANCE: readonly TimingPolicy[] = [
  inBlackout,
  windowClosed,
  maintenanceNotAllowed,
  vetoed,
];
const RESTARTS: readonly TimingPolicy[] = [serverBusy, restartCooldown, restartCeiling];

/**
 * A first install stops no running component, so no window or blackout holds it (D25, D74). Cooldown and ceiling limit what modreg does by
 * itself, not what an operator requests (D41). An operator's hold comes first, and holds an immediate restart too (D75). A field that is
 * not known holds all but that: it may be a window (D240).
 */
const HOLDING: Readonly<Record<Direction | 'immediate', readonly TimingPolicy[]>> = {
  install: [byPeople, ...RESTARTS],
  upgrade: [byPeople, ...MAINTENANCE, ...RESTARTS],
  downgrade: [byPeople, ...MAINTENANCE, ...RESTARTS],
  rollback: [],
  restart: [byPeople, ...MAINTENANCE, serverBusy],
  immediate: [operatorHold],
};

/** What holds a replacement at `at`; undefined if it is due (D25). `request` is that of an operator for it (D76). */
export function heldBy(
  timing: Timing,
  direction: Direction | 'immediate',
  at: number,
  request?: UpgradeRequest,
): Held | undefined {
  const holdsAt = (time: number): readonly Hold[] => {
    const holds: Hold[] = [];
    // A plan asks this about each module, and nearly nothing holds.
    for (const policy of HOLDING[direction]) {
      const found = policy(timing, time);
      if (found) holds.push(...(Array.isArray(found) ? found : [found]));
    }
    if (!request || !isInForce(request, time)) return holds;
    return holds.filter((hold) => !passes(request, hold));
  };
  const because = holdsAt(at);
  if (because.length === 0) return undefined;
  let until = latestEnd(because);
  // Each blackout may follow when the window opens, and end when it is closed.
  const most = timing.restarts.length + 2 * (timing.blackouts ?? []).length + 1;
  // At `until`, the window may have closed again, and a restart that was recorded in the future may count.
  for (let round = 0; until !== undefined && round <= most; round++) {
    const later = holdsAt(until);
    if (later.length === 0) return { because, until };
    until = latestEnd(later);
  }
  return { because, until };
}

/** Undefined if one of the ends is not known. */
function latestEnd(holds: readonly Hold[]): number | undefined {
  return holds.reduce<number | undefined>(
    (latest, { until }) =>
      latest === undefined || until === undefined ? undefined : Math.max(latest, until),
    -Infinity,
  );
}
