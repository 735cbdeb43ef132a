import type { Result } from '../../core/index.ts';
import { isPolled } from '../../store/claim.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { rowNamed, targetOf } from '../machine-row.ts';
import { inFile, usingState } from '../open-state.ts';
import { upgradeOf, type Upgrade } from './upgrade.ts';

/** How long a person waits for a round. */
const LONGEST_WAIT_MS = 5000;
const LOOK_MS = 100;

/** An upgrade, and whether its lists were read for it. */
export type AskedUpgrade = Upgrade & { readonly round: 'made' | 'not-yet' | 'nobody-polls' };

/** Asks the process that polls for the machine to read the list of a target now, and returns what is decided then (D76). */
export async function upgradeAfterRound(
  named: string,
  world: World,
): Promise<Result<AskedUpgrade, Problem[]>> {
  const at = world.clock();
  const asked = inFile(world, 'write', (file): Result<boolean, Problem[]> => {
    const state = machineStateIn(file);
    const row = rowNamed(named, state.decisions());
    if (!row.ok) return row;
    const isAsked = isPolled(file.path);
    if (isAsked) state.requestRound(targetOf(row.value), at);
    return { ok: true, value: isAsked };
  });
  if (!asked.ok) return asked;
  const isMade = asked.value && (await roundMade(at, world));
  const upgrade = upgradeOf(named, world);
  if (!upgrade.ok) return upgrade;
  const round = isMade ? 'made' : asked.value ? 'not-yet' : 'nobody-polls';
  return { ok: true, value: { ...upgrade.value, round } };
}

/** Whether a round that began at `at` or later has led to decisions, for which this waits a few seconds. */
async function roundMade(at: number, world: World): Promise<boolean> {
  const { timer } = world;
  const end = timer.monotonic() + LONGEST_WAIT_MS;
  for (;;) {
    const isMade = usingState(world, 'read', (state) => {
      const { round } = state.poller();
      return round !== undefined && round.at >= at && state.memory().roundRequests.length === 0;
    });
    if (isMade.ok && isMade.value) return true;
    if (timer.monotonic() >= end) return false;
    await timer.sleep(LOOK_MS);
  }
}
