import type { WebRegistryAddress } from '../registry/address.ts';
import type { Result } from '../core/index.ts';
import { fleetClient, type FleetClient } from '../registry/fleet-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { fetchIn } from '../base/network.ts';
import { registryProblem, usage, type Problem } from '../base/problem.ts';
import { namedRegistry } from '../host/registry-choice.ts';
import { errorWithHint } from '../host/registry-hints.ts';
import { tokensIn } from '../host/registry-token.ts';
import { clockOf, type World } from '../base/world.ts';
import { addressIn } from './remote-registry.ts';

/** Which registry machines report to; by default that of MODREG_REGISTRY. */
export interface FleetOptions {
  readonly registry?: string;
}

type Doing = Parameters<typeof fleetClient>[1];

/** The result of `work` with the registry that machines report to, or why it cannot be read. */
export async function withFleet<T>(
  options: FleetOptions,
  world: World,
  work: (client: FleetClient, registry: URL) => Promise<Result<T, Problem>>,
  doing: Doing = 'read reports of',
): Promise<Result<T, Problem>> {
  const address = fleetAddress(options, world);
  if (!address.ok) return address;
  const token = tokensIn(world, options.registry)(address.value.url);
  if (!token.ok) return token;
  const clock = clockOf(world);
  const client = fleetClient(address.value, doing, {
    clock,
    fetch: fetchIn(world),
    token: () => token.value.token,
  });
  if (!client.ok) return { ok: false, error: registryProblem(client.error) };
  try {
    return await work(client.value, address.value.url);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { ok: false, error: registryProblem(errorWithHint(error, token.value)) };
  }
}

/** The problem that the registry which `does` this is not named. */
export function noRegistry(does: string): Problem {
  const hint = 'name it with --registry, or MODREG_REGISTRY';
  return {
    severity: 'error',
    kind: 'no-registry',
    message: `no registry is named that ${does}`,
    hint,
  };
}

function fleetAddress(options: FleetOptions, world: World): Result<WebRegistryAddress, Problem> {
  const named = namedRegistry(options, world);
  return named === undefined
    ? { ok: false, error: noRegistry('machines report to') }
    : serverAddress(named);
}

/** The address of a registry that is served, and no path. */
export function serverAddress(named: string): Result<WebRegistryAddress, Problem> {
  const address = addressIn(named);
  if (!address.ok) return address;
  if ('url' in address.value) return { ok: true, value: address.value };
  return { ok: false, error: usage('the registry is a path, expected the address of a server') };
}
