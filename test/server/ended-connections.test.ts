import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { served, trustFixtures } from './support/attacked-registry.ts';

setFlagsFromString('--expose-gc');
// V8 has no type for it.
const collectGarbage = runInNewContext('gc') as () => void;

trustFixtures();

describe.each(['http', 'https'] as const)('a registry served over %s', (protocol) => {
  it('frees the place of a long poll whose client hung up', async () => {
    const { address, responses, client } = await served(protocol, { longPollsPerPeer: 1 });
    const first = client('GET /v1/changes?after=2&wait=60 HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => responses.length).toBe(1);
    const ask = async (): Promise<Response> =>
      await fetch(`${address}/v1/changes?after=2&wait=0.1`);
    expect((await ask()).status).toBe(429);
    first.destroy();
    await expect.poll(async () => (await ask()).status).toBe(200);
  });

  it.each(['an answered request', 'a long poll whose client hung up'])(
    'keeps no connection of %s',
    async (what) => {
      const { responses, client } = await served(protocol);
      const isAnswered = what === 'an answered request';
      const path = isAnswered ? 'modules' : 'changes?after=2&wait=60';
      const socket = client(`GET /v1/${path} HTTP/1.1\r\nHost: x\r\n\r\n`).resume();
      await expect.poll(() => responses.length).toBe(1);
      await expect.poll(() => responses[0]?.writableFinished).toBe(isAnswered);
      const kept = new WeakRef(responses[0]?.req.socket ?? {});
      responses.length = 0;
      socket.destroy();
      await expect
        .poll(() => {
          collectGarbage();
          return kept.deref() === undefined;
        })
        .toBe(true);
    },
  );
});
