import { resolve } from 'node:path';
import { flagsOf, runPage } from '../page/page-child.ts';
import type { World } from '../../base/world.ts';
import { AGENTS_MACHINE_ID } from '../../host/machine-id.ts';

/** The options of the agent that its page has as well, and the id of the machine. */
interface AgentPageOptions {
  readonly page?: boolean;
  readonly machineId: string | undefined;
  readonly policy?: string;
  readonly registry?: string;
  readonly platform?: string;
  readonly pagePort?: string;
}

/** Starts the page of the agent, if it has one. The result stops it. */
export function startPage(
  machine: string,
  { page, machineId = '', policy, registry, platform, pagePort: port }: AgentPageOptions,
  world: World,
  say: Parameters<typeof runPage>[2],
): (() => Promise<void>) | undefined {
  if (!page) return undefined;
  const flags = flagsOf({ policy: policy && resolve(policy), registry, platform, port });
  const args = ['page', resolve(machine), ...flags];
  const added = { [AGENTS_MACHINE_ID]: machineId };
  return runPage(args, world, say, { portOption: '--page-port <port>', added });
}
