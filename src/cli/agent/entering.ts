import { chmodSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runAsOf, whyClosed } from '../../agent/process/run-as.ts';
import { termsFor } from '../../core/machine/update-policy.ts';
import type { PlanDocuments } from '../../host/plan-documents.ts';

/** Where the agent is root, modules run as another user. What is in the folder has modes of its own. */
export function letModulesEnter(home: string): void {
  const { mode, uid } = statSync(home);
  if (process.getuid?.() === 0 && uid === 0 && (mode & 1) === 0) chmodSync(home, mode | ENTER);
}

const ENTER = 0o011;

/**
 * Why no module of the machine can run: no user that one runs as may enter the folder of the packages. That a user is missing is the fault
 * of the machine at each start of a module, which is tried again.
 */
export function whyNoneRuns({ machine, policy }: PlanDocuments, home: string): string | undefined {
  const reasons = machine.modules.map(({ name }) => {
    const user = runAsOf(termsFor(policy, name).run.runAs);
    return user.ok ? whyClosed(join(realpathSync(home), 'packages'), user.value) : undefined;
  });
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}
