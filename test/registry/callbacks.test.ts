import { describe, expect, it } from 'vitest';
import { openRegistries } from '../../src/registries/index.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST, status } from '../../mocks/scripted-registry.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LIDAR, outcomeOf } from './support/remembered.ts';

const asked = answers();

describe('an error of a callback for a log is ignored', () => {
  // An unhandled rejection would fail the run.
  it.each<[string, () => void]>([
    [
      'thrown at once',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['of an async function', async () => await Promise.reject(new Error('the log is full'))],
  ])('%s', async (_, fails) => {
    const file = openMachineFile(`${temporaryFolder()}/machine.db`);
    const saved = savedListsIn(file);
    file.close();
    const options = { onRetry: fails, onTrouble: fails, clock: testClock(), saved };
    const registry = openRegistries(options).registryFor({ registry: HOST });
    asked.next(status(503), document(['1.2.3']));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.2.3');
  });
});

it.each(['random', 'onRetry', 'onTrouble'])('%s has to be a function', (name) => {
  const found = `found the number 5 as options.${name}, expected a function or nothing`;
  expect(() => openRegistries({ [name]: 5 })).toThrow(new TypeError(`openRegistries(): ${found}`));
});

it('lists that were read by a clock with fractions of a millisecond are saved', async () => {
  const file = openMachineFile(`${temporaryFolder()}/machine.db`);
  const whole = testClock();
  const clock = { ...whole, now: () => whole.now() + 0.25 };
  const troubles: string[] = [];
  const onTrouble = ({ message }: Error): void => void troubles.push(message);
  const options = { clock, onTrouble, saved: savedListsIn(file) };
  asked.next(document(['1.2.3']));
  await openRegistries(options).registryFor({ registry: HOST }).read(LIDAR);
  const later = openRegistries({ ...options, isOffline: true }).registryFor({ registry: HOST });
  const { source, fetchedAt } = await later.read(LIDAR);
  expect([source, fetchedAt, troubles]).toEqual(['saved', whole.now(), []]);
  file.close();
});
