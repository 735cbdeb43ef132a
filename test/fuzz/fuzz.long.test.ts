import { afterAll, describe, expect, it } from 'vitest';
import { removeFolders } from './scratch.ts';
import { fuzz, shares } from './targets.ts';
import { startWatchdog } from './watchdog.ts';

const SEED = 20261121;
const COUNT = 5000;

const watchdog = startWatchdog();
const trials = Array.from(shares(COUNT), ([target, count]) => {
  const rows = target.faults.replace(/\w+/g, '[$&]').replaceAll(' ', '');
  return [`${rows} ${target.name}: ${count} inputs`, target, count] as const;
});

afterAll(async () => {
  await watchdog.stop();
  removeFolders();
});

describe('arbitrary input neither crashes nor hangs a reader, and throws no unexpected error', () => {
  it.each(trials)('%s', async (_, target, count) => {
    expect(await fuzz(target, { seed: SEED, count }, watchdog)).toBeUndefined();
  });

  it(`the targets get ${COUNT} inputs together`, () => {
    expect(trials.reduce((sum, [, , count]) => sum + count, 0)).toBe(COUNT);
  });
});
