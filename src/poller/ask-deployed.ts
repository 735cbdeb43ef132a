import type { ActionTarget } from '../core/index.ts';
import { targetsOf, type Configuration } from '../core/plan/configuration.ts';
import { callback } from './callback.ts';
import type { PollerEvent } from './event.ts';
import type { Polling } from './polling.ts';
import type { StateAccess } from './state-access.ts';

/** How the agent is asked for deployed versions, and where the answers are recorded. */
export interface AskDeployedOptions {
  readonly deployedVersion: (target: ActionTarget) => unknown;
  readonly state: StateAccess;
  readonly polling: Pick<Polling, 'clock'>;
  readonly onEvent: (event: PollerEvent) => void;
}

/** Asks the agent for each deployed version that is unknown, because an unknown version is never replaced (D14). */
export async function askDeployed(
  configuration: Configuration,
  { deployedVersion, state, polling: { clock }, onEvent }: AskDeployedOptions,
  signal: AbortSignal,
): Promise<void> {
  const memory = state.read();
  if (!memory) return;
  const unknown = targetsOf(configuration).filter(
    (target) => memory.of(target).deployed.kind === 'unknown',
  );
  // In parallel: an agent that does not answer costs one deadline, not one for each target.
  const asked = unknown.map(async (target) => {
    const result = await callback(() => deployedVersion(target), clock, signal);
    if (result.kind === 'failed') onEvent({ kind: 'callback-error', error: result.error });
    const deployed = result.kind === 'returned' ? result.value : undefined;
    if (typeof deployed !== 'string' && deployed !== null) return;
    // What the agent reported in the meantime is newer than its answer (T107).
    const now = state.read()?.of(target);
    const isNewer = now?.failed?.text !== memory.of(target).failed?.text;
    if (now?.deployed.kind !== 'unknown' || isNewer) return;
    state.write((file) => file.report(target, deployed, clock.now()));
  });
  await Promise.all(asked);
}
