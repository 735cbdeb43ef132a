import type { ActionTarget } from '../core/index.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { parseVersion } from '../core/version/version.ts';
import type { Poller } from '../poller/index.ts';
import { targetOf } from './server.ts';
import type { Evidence } from './supervised-module.ts';

/** Where evidence is reported. */
export interface Reporting {
  readonly poller: () => Pick<Poller, 'reportFailure' | 'reportWorking'>;
  readonly onError: (error: unknown) => void;
}

/** Reports what the version in use shows: that it does not work, or that it does (D38, D80). */
export function reportEvidence(
  { type, name, moduleId }: ModuleEntry,
  evidence: Evidence,
  { poller, onError }: Reporting,
): void {
  const { version } = evidence;
  // A local module has no other version, and what a `pin_url` names has none to quarantine: it is started again (D48).
  if (type === 'local' || !parseVersion(version).ok) return;
  const target = targetOf({ name, moduleId });
  void reported(poller(), target, evidence).catch(onError);
}

async function reported(
  poller: Pick<Poller, 'reportFailure' | 'reportWorking'>,
  target: ActionTarget,
  evidence: Evidence,
): Promise<void> {
  if (evidence.command === 'works') await poller.reportWorking(target, evidence);
  else await poller.reportFailure(target, evidence);
}
