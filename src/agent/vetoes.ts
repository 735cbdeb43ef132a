import type { Veto } from '../core/decision/timing-policies.ts';
import type { Clock } from '../registry/clock.ts';
import { termsFor } from '../core/machine/update-policy.ts';
import type { Configuration } from '../poller/index.ts';
import { readManifest } from './install/manifest.ts';
import type { Modules } from './modules.ts';
import type { askingPrograms } from './process/restart-status.ts';
import { SERVER } from './server.ts';
import { isUnsteady } from './supervision/back-off.ts';

/** How long a reason stays as it was first given: each other one would be a decision of its own in the history. */
const SAME_REASON_MS = 10 * 60_000;
const UNCLEAR = 'it does not say whether it may be stopped';

/** What a module said last when it was asked, and since when. */
type Reasons = Map<string, { readonly said: string | undefined; readonly since: number }>;

/** What asking the modules needs. */
export interface Asking {
  readonly modules: Modules;
  readonly ask: ReturnType<typeof askingPrograms>;
  readonly reasons: Reasons;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether each reason is the one of now (D76). */
  readonly isExact: boolean;
}

/**
 * Which of these modules must not be stopped now (D77). Only one that works is asked: what does not work must not prevent the
 * release that repairs it.
 */
export async function vetoesOf(
  names: readonly string[],
  { policy }: Configuration,
  { modules, ask, reasons, clock, isExact }: Asking,
): Promise<Veto[]> {
  const answers = names.map(async (by): Promise<Veto[]> => {
    const { restartStatus, onUnclearStatus } = termsFor(policy, by).run;
    const state = modules.readyState(by);
    if (!state || isUnsteady(state.crashes, clock.monotonic() - state.since)) return [];
    const address = restartStatus ?? statusAddressIn(state.run.root);
    if (address === undefined) return [];
    const isHeld = onUnclearStatus === 'hold';
    const status = await ask(by, address, isHeld);
    if (status?.isAllowed ?? !isHeld) {
      reasons.delete(by);
      return [];
    }
    const { reason, isOverridable } = status ?? { reason: UNCLEAR, isOverridable: true };
    const now = clock.monotonic();
    const before = reasons.get(by);
    const isSame = !isExact && before && now - before.since < SAME_REASON_MS;
    const { said } = isSame ? before : { said: reason };
    if (!isSame) reasons.set(by, { said, since: now });
    // A module that does not say so is not overridden (D79).
    return [{ by, said, isOverridable: isOverridable === true }];
  });
  return (await Promise.all(answers)).flat();
}

/**
 * Whether the server allows maintenance, which is asked at `address` if it has one. One that does not say does not allow it (D29). Its no may be
 * overridden, unless it says otherwise (D79).
 */
export async function maintenanceOf(
  address: string | undefined,
  ask: Asking['ask'],
): Promise<boolean | 'forbidden'> {
  if (address === undefined) return true;
  const status = await ask(SERVER, address, true);
  if (status?.isAllowed === false && status.isOverridable === false) return 'forbidden';
  return status?.isAllowed === true;
}

/** The address that a package names; undefined if it names none, or cannot be read. */
function statusAddressIn(root: string): string | undefined {
  try {
    return readManifest(root).restartStatus;
  } catch {
    // It does not start either, which the log says.
    return undefined;
  }
}
