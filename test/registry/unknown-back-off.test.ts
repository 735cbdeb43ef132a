import { expect, it } from 'vitest';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { answers, HOST, json, status } from '../../mocks/scripted-registry.ts';
import { testClock } from '../support/clock.ts';
import { remoteAt } from '../support/remote-at.ts';
import { LIDAR } from './support/remembered.ts';

const asked = answers();
const LIST = json({ module_id: LIDAR, generation: 1, count: 0, releases: [] });

/** The minutes, of so many, in which a round asks a registry without a feed for a module that it does not know. */
it('[T425] an unknown module is asked for after 1, 2, 4, 8 and then each 15 minutes', async () => {
  const clock = testClock();
  const registry = cachedRegistry(remoteAt(`npm:${HOST}`), { clock });
  const minutes: number[] = [];
  for (let minute = 0; minute <= 46; minute++) {
    asked.requests.length = 0;
    asked.next(status(404, { 'content-type': 'application/json' }));
    const [result] = [...(await registry.readAll([LIDAR])).values()];
    expect(result).toMatchObject({ ok: false, error: { kind: 'unknown-module' } });
    if (asked.requests.length > 0) minutes.push(minute);
    clock.advance(60_000);
  }
  expect(minutes).toEqual([0, 1, 3, 7, 15, 30, 45]);
});

it('[T425] a module that the change feed names is asked for at once', async () => {
  const registry = cachedRegistry(remoteAt(HOST), { clock: testClock() });
  asked.next(json({ sequence: 1, modules: [] }), status(404));
  await registry.readAll([LIDAR]);
  asked.next(json({ sequence: 1, modules: [] }));
  await registry.readAll([LIDAR]);
  asked.requests.length = 0;
  asked.next(json({ sequence: 2, modules: [LIDAR] }), LIST);
  expect([...(await registry.readAll([LIDAR])).values()]).toMatchObject([{ ok: true }]);
  expect(asked.requests).toEqual(['/v1/changes?after=1', '/v1/modules/acme/lidar']);
});
