import { expect, it } from 'vitest';
import { shareTokens } from '../../src/cluster/shared-tokens.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';
import { filledStream, frontOf } from './support/following-front.ts';

it('[T219] a token that is created in the file of a front waits while a stream that was lost is filled again', async () => {
  const { stream } = filledStream();
  const { catalogue, following } = frontOf(stream, `${temporaryFolder()}/registry.db`);
  const { log } = catalogue;
  await expect.poll(() => log.last()).toBe(3);
  tokenFor(catalogue, ['machine:rover-7'], 'rover-7');
  const clock = virtualClock();
  let isFilling = true;
  const filling = { ...stream, isFilling: () => isFilling };
  const stop = shareTokens({ log, stream: filling, follower: following, clock });
  await clock.pass(5000);
  expect(await stream.last()).toBe(3);
  isFilling = false;
  await clock.pass(1000);
  await expect.poll(() => log.last()).toBe(4);
  expect(log.tokensToShare()).toEqual([]);
  await stop();
});
