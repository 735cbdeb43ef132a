import { expect, it } from 'vitest';
import { installTurns } from '../../../src/agent/install/turns.ts';

it('[D78] what is unused is removed only while nothing is installed, and an installation waits for that', async () => {
  const turns = installTurns();
  const story: string[] = [];
  const [installing, removing] = [
    Promise.withResolvers<undefined>(),
    Promise.withResolvers<undefined>(),
  ];
  const first = turns.ofFile('a', async () => await installing.promise);
  expect(await turns.whileIdle(async () => void story.push(await Promise.resolve('at once')))).toBe(
    false,
  );
  installing.resolve(undefined);
  await first;
  const removed = turns.whileIdle(async () => {
    await removing.promise;
    story.push('removed');
  });
  const second = turns.ofFile('a', async () => void story.push(await Promise.resolve('installed')));
  removing.resolve(undefined);
  expect(await removed).toBe(true);
  await second;
  expect(story).toEqual(['removed', 'installed']);
});
