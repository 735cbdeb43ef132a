import { decide, indexReleases, type DecideInput, type Decision } from '../../core/index.ts';
import type { RestartRequest } from '../../core/decision/restart-request.ts';
import { deployedVersion } from '../../core/decision/deployed.ts';
import { nextChange, type NextChange } from '../../core/decision/next-change.ts';

/** A requested restart, and what the planner makes of it. */
export interface IntendedRestart {
  /** The decision with the request. */
  readonly decision: Decision;
  /** The decision once what is due now is done; undefined if nothing is. */
  readonly afterwards: Decision | undefined;
  /** When the passing of time alone changes what is decided; undefined if no such time is known. */
  readonly next: NextChange | undefined;
  /** Whether the release list is known. Without it, a replacement that is due may come before the restart. */
  readonly hasList: boolean;
}

/** What the request does; undefined if the input does not tell. `input` is that of the next decision. */
export function intendedRestart(
  input: DecideInput,
  restartRequest: RestartRequest,
): IntendedRestart | undefined {
  const { list, requirement } = input;
  const hasList =
    requirement.kind === 'pin-url' || !('error' in list) || list.error.kind !== 'not-saved';
  const known = hasList ? input : asPinned(input);
  if (!known) return undefined;
  const decision = decide({ ...known, restartRequest });
  if (decision.kind !== 'replace' || decision.direction !== 'restart') {
    return { decision, afterwards: undefined, next: nextChange(decision), hasList };
  }
  const afterwards = decide({ ...known, restartRequest: undefined });
  return { decision, afterwards, next: nextChange(afterwards), hasList };
}

/** What holds a restart does not depend on the list, so it is decided as if the deployed version was pinned. */
function asPinned(input: DecideInput): DecideInput | undefined {
  const version = deployedVersion(input.deployed);
  if (!version) return undefined;
  const list = { index: indexReleases([{ version: version.text }]) };
  return { ...input, list, requirement: { kind: 'patch', version } };
}
