import { expect, it } from 'vitest';
import type { Configuration } from '../../src/core/plan/configuration.ts';
import { ConfigurationSource } from '../../src/poller/configuration-source.ts';
import { SECOND } from '../support/day.ts';
import { CONFIGURATIONS } from '../support/racing.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

const { both } = CONFIGURATIONS;

it('[D72] a configuration is in force before what its reader woke goes on', async () => {
  const seen: (Configuration | undefined)[] = [];
  const woken = Promise.withResolvers<void>();
  const polling = { clock: virtualClock(), onEvent: () => undefined };
  const source = new ConfigurationSource(async () => {
    woken.resolve();
    return await Promise.resolve(both);
  }, polling);
  const wakes = async (): Promise<void> => {
    await woken.promise;
    // A module that waited for the server asks whether it may begin.
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    seen.push(source.current);
  };
  await Promise.all([wakes(), source.read(new AbortController().signal)]);
  expect(seen).toEqual([both]);
});

it('a configuration that comes after ten seconds is not in force', async () => {
  const clock = virtualClock();
  const late = Promise.withResolvers<Configuration>();
  const source = new ConfigurationSource(async () => await late.promise, {
    clock,
    onEvent: () => undefined,
  });
  const reading = source.read(new AbortController().signal);
  await clock.pass(11 * SECOND);
  late.resolve(both);
  expect([await reading, source.current]).toEqual([undefined, undefined]);
  await clock.pass(SECOND);
  expect(source.current).toBeUndefined();
});
