import { describe, it } from 'vitest';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { trustFixtures } from './support/attacked-registry.ts';
import { expectFewSlices } from './support/pipelined-requests.ts';

trustFixtures();

describe.each(['http', 'https'] as const)('[T80] a registry served over %s', (protocol) => {
  it('keeps at most three slices for a client that pipelines all the requests it may, and reads nothing', async () => {
    await expectFewSlices(protocol, SERVER_LIMITS.requestsPerSocket);
  });
});
