import { expect } from 'vitest';
import { GET, LIST_BYTES, rest, served } from './attacked-registry.ts';

const MIB = 1024 * 1024;

/** Fails if a registry keeps more than three slices of a list for a client that has sent as many requests as it may, and reads nothing. */
export async function expectFewSlices(
  protocol: 'http' | 'https',
  requestsPerSocket: number,
): Promise<void> {
  const { address, responses, client } = await served(protocol, { requestsPerSocket });
  const last = GET.replace('Host', 'Connection: close\r\nHost');
  const attacker = client(GET.repeat(requestsPerSocket - 1) + last);
  for (let round = 0; round < 5; round++) {
    const other = await fetch(`${address}/v1/modules/acme/lidar`);
    expect((await other.arrayBuffer()).byteLength).toBeGreaterThan(LIST_BYTES);
    const unsent = responses.reduce((sum, { writableLength }) => sum + writableLength, 0);
    expect(unsent).toBeLessThan(4 * MIB);
  }
  // It gets all its answers when it reads.
  const text = await rest(attacker);
  expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(requestsPerSocket);
  expect(text.length).toBeGreaterThan(requestsPerSocket * LIST_BYTES);
}
