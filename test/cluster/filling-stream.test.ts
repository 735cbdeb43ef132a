import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';
import { filledStream, frontOf } from './support/following-front.ts';

it('[T183] a change waits while a stream that was lost is filled again', async () => {
  const { stream } = filledStream();
  let asked = 0;
  let isFilling = true;
  const filling = {
    ...stream,
    isFilling: () => {
      asked += 1;
      return isFilling;
    },
  };
  const { catalogue, ask } = frontOf(filling, `${temporaryFolder()}/registry.db`);
  await expect.poll(() => catalogue.log.last()).toBe(3);
  const authorization = `Bearer ${tokenFor(catalogue, ['publish:acme'], 'ci')}`;
  const saved = ask('/v1/modules/acme/lidar/releases', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ version: '1.1.0' }),
  });
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect(await stream.last()).toBe(3);
  isFilling = false;
  expect([(await saved).status, await stream.last()]).toEqual([201, 4]);
});

it('a front that ends does not say that the stream cannot be reached', async () => {
  const { stream } = filledStream();
  let last = stream.last;
  const { catalogue, following, events } = frontOf(
    { ...stream, last: async () => await last() },
    `${temporaryFolder()}/registry.db`,
  );
  await expect.poll(() => catalogue.log.last()).toBe(3);
  const said = events.length;
  const { promise, reject } = Promise.withResolvers<number>();
  let isAsked = false;
  last = async () => {
    isAsked = true;
    return await promise;
  };
  await expect.poll(() => isAsked).toBe(true);
  const stopped = following.stop();
  reject(new Error('the connection is closed'));
  await stopped;
  expect(events.slice(said)).toEqual([]);
});
