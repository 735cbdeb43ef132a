/** What NetworkManager says at one time. */
export interface Observation {
  readonly connectivity: 'full' | 'limited' | 'portal' | 'none' | 'unknown';
  /** The connections that are up, or about to be. */
  readonly active: readonly {
    readonly uuid: string;
    readonly isUp: boolean;
    /** Whether it reaches beyond this machine: Wi-Fi, Ethernet or a modem, and no bridge of containers. */
    readonly isPhysical: boolean;
  }[];
}

/** The uuids of the profiles to use. */
export interface RoamingTerms {
  /** The networks to try, the highest priority first; empty if roaming is off. */
  readonly networks: readonly string[];
  readonly hotspot: string | undefined;
}

/** Times are those of a clock that never jumps, in milliseconds. */
export interface RoamingState {
  /** Since when there is no internet; undefined while there is. */
  readonly offlineSince?: number;
  /** Since when there is no network at all, or since the hotspot was opened last. */
  readonly aloneSince?: number;
  /** The networks that were tried since the last rest. The last one may be under way. */
  readonly tried: readonly string[];
  readonly triedAt?: number;
  /** All were tried: when the first is tried again. */
  readonly restsUntil?: number;
}

export type RoamingCommand =
  | { readonly kind: 'connect'; readonly uuid: string }
  | { readonly kind: 'open-hotspot'; readonly uuid: string }
  | { readonly kind: 'close-hotspot'; readonly uuid: string };

export interface RoamingStep {
  readonly state: RoamingState;
  readonly command?: RoamingCommand;
}

export const ONLINE: RoamingState = { tried: [] };

/** How long a network may take to connect, and NetworkManager to find one by itself. */
const SETTLE_MS = 30_000;
const REST_MS = 600_000;
const HOTSPOT_AFTER_MS = 120_000;

/**
 * What to do now. The next network is tried when one is unavailable or connects without internet, until all have been
 * tried; the first again after ten minutes. The hotspot opens after two minutes without any network, once no network is
 * left to try, and closes with the next round of trying.
 */
export function roam(
  before: RoamingState,
  { connectivity, active }: Observation,
  { networks, hotspot }: RoamingTerms,
  now: number,
): RoamingStep {
  const isActive = (uuid: string | undefined): boolean => active.some((one) => one.uuid === uuid);
  const hasNetwork = active.some((one) => one.isUp && one.isPhysical && one.uuid !== hotspot);
  const openHotspot = hotspot !== undefined && isActive(hotspot) ? hotspot : undefined;
  const close = openHotspot !== undefined && {
    command: { kind: 'close-hotspot', uuid: openHotspot } as const,
  };
  // Where NetworkManager checks no connectivity, a network counts as internet.
  const isOnline = connectivity === 'full' || (connectivity === 'unknown' && hasNetwork);
  if (isOnline) return { state: ONLINE, ...close };

  const { offlineSince = now, aloneSince = now, ...rest } = before;
  const state = { ...rest, offlineSince, ...(!hasNetwork && { aloneSince }) };
  if (now - offlineSince < SETTLE_MS) return { state };
  const { triedAt, restsUntil } = state;
  const isTrying = triedAt !== undefined && now - triedAt < SETTLE_MS;
  if (isTrying && isActive(state.tried.at(-1))) return { state };

  if (restsUntil === undefined) {
    const next = networks.find((uuid) => !state.tried.includes(uuid) && !isActive(uuid));
    if (next !== undefined) {
      const tried = [...state.tried, next];
      return { state: { ...state, tried, triedAt: now }, command: { kind: 'connect', uuid: next } };
    }
  } else if (now >= restsUntil) {
    // Also NetworkManager gets its turn, as at the beginning.
    return { state: { tried: [], offlineSince: now, aloneSince: now }, ...close };
  }
  const resting = { ...state, restsUntil: restsUntil ?? now + REST_MS };
  const isDue = !hasNetwork && now - aloneSince >= HOTSPOT_AFTER_MS;
  if (hotspot === undefined || openHotspot !== undefined || !isDue) return { state: resting };
  return {
    state: { ...resting, aloneSince: now },
    command: { kind: 'open-hotspot', uuid: hotspot },
  };
}
