import { secret, type Result } from '../../core/index.ts';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import { fetchIn } from '../../base/network.ts';
import { registryProblem, usage, type Problem } from '../../base/problem.ts';
import { clockOf, type World } from '../../base/world.ts';
import { isToken } from '../../host/token-file.ts';
import { fleetClient } from '../../registry/fleet-client.ts';
import type { JoinedAnswer } from '../../registry/fleet-documents.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { pinOf } from '../../registry/trust/ed25519.ts';
import { documentsOf } from '../../registries/trusted-registry.ts';
import { serverAddress } from '../../site/fleet-options.ts';
import { withReadRegistry } from '../../site/remote-lists.ts';

/** The digests of the trust documents that a registry offers, the newest last; none if it has no keys. */
export async function offeredPins(
  registry: string,
  world: World,
): Promise<Result<readonly string[], Problem>> {
  const address = serverAddress(registry);
  if (!address.ok) return address;
  return await withReadRegistry({ registry }, world, async (read) => {
    const texts = await documentsOf(read.registry);
    const pins = texts.flatMap((text) => {
      const document = readTrustDocument(text);
      return document.ok ? pinOf(document.value.body) : [];
    });
    return { ok: true, value: pins };
  });
}

/** What a machine has after it joined. */
interface Joined {
  readonly credentials: JoinedAnswer;
  /** The origin that gets the token. */
  readonly origin: string;
}

/** Exchanges a code for the credentials of a machine. */
export async function joinedTo(
  registry: string,
  { machine, code }: { readonly machine: string; readonly code: string },
  world: World,
): Promise<Result<Joined, Problem>> {
  const address = serverAddress(registry);
  if (!address.ok) return address;
  if (!isToken(code)) {
    return { ok: false, error: usage('the code has characters that no code has', CODE) };
  }
  const clock = clockOf(world);
  const options = { clock, fetch: fetchIn(world), token: () => secret(code) };
  const client = fleetClient(address.value, 'join', options);
  if (!client.ok) return { ok: false, error: registryProblem(client.error) };
  try {
    const credentials = await client.value.join(machine);
    return { ok: true, value: { credentials, origin: address.value.url.origin } };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const problem = registryProblem(error);
    const hint = HINTS[error.kind] ?? problem.hint;
    return { ok: false, error: { ...problem, hint } };
  }
}

/** What to do, unless the error says it. Without an answer, the registry may have taken the code. */
const LOST = 'the code may have been used: make another one with modreg registry invite';
const CODE =
  'a code is valid once, for an hour, for one machine: modreg registry invite --name <machine> prints one, where the registry is';
const HINTS: Readonly<Partial<Record<RegistryError['kind'], string>>> = {
  'registry-refused': CODE,
  'registry-timeout': LOST,
  'registry-unreachable': LOST,
  'registry-busy': LOST,
};
