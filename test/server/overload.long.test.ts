import { describe, expect, it } from 'vitest';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { LIST_BYTES, trustFixtures } from './support/attacked-registry.ts';
import { pipelined } from './support/pipelined-requests.ts';

const MIB = 1024 * 1024;

trustFixtures();

describe.each(['http', 'https'] as const)('[T80] a registry served over %s', (protocol) => {
  it('keeps at most three slices for a client that pipelines all the requests it may, and reads nothing', async () => {
    const most = SERVER_LIMITS.requestsPerSocket;
    const { unsent, othersGot, answers, bytes } = await pipelined(protocol, most);
    expect(unsent).toBeLessThan(4 * MIB);
    expect(othersGot).toBeGreaterThan(LIST_BYTES);
    expect(answers).toBe(most);
    expect(bytes).toBeGreaterThan(most * LIST_BYTES);
  });
});
