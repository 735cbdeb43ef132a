import { describeDuration } from '../../core/text/duration.ts';
import type { Result } from '../../core/index.ts';
import { isPolled } from '../../store/claim.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

/** What follows from no round, but from what was asked, or from what is deployed. */
const OTHERS: ReadonlySet<Problem['kind']> = new Set([
  'unknown-reference',
  'usage',
  'deployed-unknown',
]);

/**
 * The same result. If a request is refused while no agent runs, the hint says that the reason follows from what the last round found, which
 * may be over, and from what was changed since, such as a quarantine, and what to do (D487). A refusal that says already what to do stays.
 */
export function asLastDecided<T>(
  result: Result<T, Problem[]>,
  file: MachineFile,
  world: World,
): Result<T, Problem[]> {
  if (result.ok || isPolled(file.path)) return result;
  const { round } = machineStateIn(file).poller();
  if (!round) return result;
  const ago = describeDuration(Math.max(0, world.clock() - round.at));
  const stale = `no agent runs: this follows from its last round, ${ago} ago, and from what was changed since; nothing is requested, so start it and ask again`;
  const error = result.error.map((problem) =>
    OTHERS.has(problem.kind) ? problem : { ...problem, hint: problem.hint ?? stale },
  );
  return { ok: false, error };
}
