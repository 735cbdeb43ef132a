import { existsSync } from 'node:fs';
import type { ClockState } from '../registry/certain-clock.ts';
import { RELEASED_AT } from './version.ts';

/** systemd-timesyncd creates this folder when it starts, and the file in it once the clock is right. Both are gone after a boot. */
const TIMESYNC = '/run/systemd/timesync';
/** A plan asks for each module. */
const ASK_AGAIN_MS = 1000;

/**
 * Whether something keeps the clock right, as far as files say so (D57). Chrony, ntpd and a container say nothing. No
 * program runs before it was released, so an earlier clock is wrong.
 */
export function clockStateOf(clock: () => number, folder: string = TIMESYNC): () => ClockState {
  let askedAt = -Infinity;
  let state: ClockState = 'unknown';
  return () => {
    if (clock() < RELEASED_AT) return 'unsynchronized';
    const now = performance.now();
    if (now - askedAt < ASK_AGAIN_MS && state !== 'unsynchronized') return state;
    askedAt = now;
    state = stateIn(folder);
    return state;
  };
}

function stateIn(folder: string): ClockState {
  if (existsSync(`${folder}/synchronized`)) return 'synchronized';
  return existsSync(folder) ? 'unsynchronized' : 'unknown';
}
