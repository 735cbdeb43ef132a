import { decideChecked } from '../decision/decide.ts';
import type { DecideInput } from '../decision/decision.ts';
import { deployedVersion } from '../decision/deployed.ts';
import type { Artifact } from '../releases/release.ts';
import { parseVersion, type Version } from '../version/version.ts';
import { actionOf, type Action } from './action.ts';

/** A release that may be deployed again, and its file for the machine. */
export interface PermittedRollback {
  readonly version: string;
  readonly artifact: Artifact | undefined;
}

/**
 * The rollback that would be decided if the version of `action` failed now and nothing was running (D37); undefined if
 * there would be none. `input` is that of the decision behind the action.
 */
export function permittedRollback(
  { target, to, artifact, direction }: Action,
  input: DecideInput,
): PermittedRollback | undefined {
  const failed = parseVersion(to);
  // A restart that fails says nothing about the release (D41), and an address is never in quarantine.
  if (!failed.ok || direction === 'restart') return undefined;
  const decision = decideChecked(afterFailure(failed.value, artifact?.digest, input));
  const rollback = actionOf(decision, target, []);
  return rollback && { version: rollback.to, artifact: rollback.artifact };
}

/** The input if `failed`, whose file has this digest, failed now and nothing was running. */
export function afterFailure(
  failed: Version,
  digest: string | undefined,
  input: DecideInput,
): DecideInput {
  const { text } = failed;
  return {
    ...input,
    deployed: { kind: 'none' },
    previous: previousAfter(input, text),
    failed,
    quarantine: [...input.quarantine, { version: text, digest, until: undefined }],
    restartRequest: undefined,
  };
}

/** The version that was deployed before the one that failed. Text that is not a version cannot be deployed again. */
function previousAfter(
  { deployed, previous }: DecideInput,
  failed: string,
): DecideInput['previous'] {
  if (deployed.kind === 'none' || deployed.kind === 'unknown') return previous;
  const version = deployedVersion(deployed);
  return version?.text === failed ? previous : version;
}
