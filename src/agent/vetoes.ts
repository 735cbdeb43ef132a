import type { Veto } from '../core/decision/timing-policies.ts';
import { termsFor } from '../core/machine/update-policy.ts';
import type { Configuration } from '../poller/index.ts';
import { readManifest } from './install/manifest.ts';
import type { Modules } from './modules.ts';
import type { askingPrograms } from './process/restart-status.ts';

/** Crashes of a version that has not recovered since. */
const CRASH_LOOP = 2;
const UNCLEAR = 'it does not say whether it may be stopped';

/**
 * Which of these modules must not be stopped now (D77). Only one that works is asked: what does not work must not prevent the
 * release that repairs it.
 */
export async function vetoesOf(
  names: readonly string[],
  { policy }: Configuration,
  { modules, ask }: { readonly modules: Modules; readonly ask: ReturnType<typeof askingPrograms> },
): Promise<Veto[]> {
  const answers = names.map(async (by): Promise<Veto[]> => {
    const { restartStatus, onUnclearStatus } = termsFor(policy, by).run;
    const state = modules.readyState(by);
    if (!state || state.crashes.count >= CRASH_LOOP) return [];
    const address = restartStatus ?? readManifest(state.run.root).restartStatus;
    if (address === undefined) return [];
    const isHeld = onUnclearStatus === 'hold';
    const status = await ask(by, address, isHeld);
    if (status?.isAllowed === true) return [];
    if (status) return [{ by, said: status.reason, isOverridable: status.isOverridable }];
    return isHeld ? [{ by, said: UNCLEAR, isOverridable: true }] : [];
  });
  return (await Promise.all(answers)).flat();
}
