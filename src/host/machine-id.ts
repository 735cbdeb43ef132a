import { machineIdIn } from '../config/machine-id.ts';
import type { Result } from '../core/index.ts';
import type { ReleaseList } from '../registry/registry.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { machineCredentials, type Credentials } from './credentials.ts';

/** How the agent tells its page the id of the machine: the page does not get the credentials in the environment of the agent. */
export const AGENTS_MACHINE_ID = 'MODREG_MACHINE_ID';

/** The id of the machine with these credentials, which determines its place in rollouts; undefined if it has none. */
export function machineIdWith(
  credentials: Credentials | undefined,
  { environment }: World,
): string | undefined {
  const told = environment[AGENTS_MACHINE_ID];
  if (told !== undefined) return told || undefined;
  return credentials?.partId ?? machineIdIn(environment);
}

/** The id of this machine. The problem is that its credentials cannot be read. */
export function machineIdOf(world: World): Result<string | undefined, Problem> {
  const credentials = machineCredentials(world);
  return credentials.ok
    ? { ok: true, value: machineIdWith(credentials.value, world) }
    : credentials;
}

/** The group of this machine in its credentials, which counts before that of the policy; undefined if they name none, or cannot be read. */
export function groupOf(world: World): string | undefined {
  const credentials = machineCredentials(world);
  return credentials.ok ? credentials.value?.group : undefined;
}

/** The warning that the id of this machine is not known, if one of the lists has a release in rollout, which needs it. */
export function unknownIdWarning(
  id: Result<unknown, Problem>,
  lists: readonly Pick<ReleaseList, 'records'>[],
): Problem[] {
  if (id.ok) return [];
  const isNeeded = lists.some(({ records }) => [...records].some(({ rollout }) => rollout));
  if (!isNeeded) return [];
  const { message, hint } = id.error;
  const what = `the machine counts as one without an id, which rollouts include last: ${message}`;
  return [{ severity: 'warning', kind: 'machine-id-unknown', message: what, hint }];
}
