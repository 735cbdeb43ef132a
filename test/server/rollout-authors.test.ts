import { expect, it } from 'vitest';
import { rollingFleet } from '../support/rolling-fleet.ts';

it('[D375] a change of a rollout with a token has the token as its author, and the rest has none', async () => {
  const fleet = await rollingFleet(3);
  await fleet.publish({ version: '1.3.0', rollout: {} });
  const after = async (): Promise<unknown> => (await fleet.state())['sequence'];
  await fleet.change({ event: 'halt', after: await after(), reason: 'loud' });
  await fleet.change({ event: 'halt', after: await after(), reason: 'again' });
  const wanted = { machine: undefined, before: {}, limit: 10 };
  const events = fleet.catalogue.configs.changed(wanted).map(({ thing, author }) => {
    return ['event' in thing && thing.event, author];
  });
  expect(events).toEqual([
    ['halted', expect.stringMatching(/^token t\d+ \(.+\)$/)],
    ['started', undefined],
  ]);
});
