import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/modreg.ts';
import { NAMES } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { books, printOf } from './books.ts';
import { playAttacks } from './play.ts';

const NEEDS = {
  acme: { threshold: 1, keys: ['acme'] },
  duo: { threshold: 2, keys: ['one', 'two'] },
  '*': { threshold: 1, keys: ['star'] },
};
const PROGRAM = { version: '1.1.0', content: 'good' };

describe('the books of the oracle', () => {
  it.each([
    ['acme:lidar', ['acme'], true],
    ['acme:lidar', ['star'], false],
    ['acme:lidar', [], false],
    ['duo:arm', ['one'], false],
    ['duo:arm', ['one', 'one'], false],
    ['duo:arm', ['one', 'two'], true],
    ['nimbus:gps', ['star'], true],
    ['platform:agent', ['star'], false],
  ])('%s, signed by %j: %s', (moduleId, keys, expected) => {
    const oracle = books();
    oracle.noteNeeds(NEEDS);
    const program = { ...PROGRAM, moduleId };
    for (const key of keys) oracle.noteSigned(program, key);
    expect(oracle.mayRun(program)).toBe(expected);
    for (const other of [{ version: '1.2.0' }, { content: 'evil' }, { moduleId: 'acme:radar' }]) {
      expect(oracle.mayRun({ ...program, ...other })).toBe(false);
    }
  });

  it('what a removed key signed may run until the machine hears of that, and again on another disk', () => {
    const oracle = books();
    const program = { ...PROGRAM, moduleId: 'acme:lidar' };
    oracle.noteNeeds(NEEDS);
    oracle.noteSigned(program, 'acme');
    oracle.noteNeeds({ ...NEEDS, acme: { threshold: 1, keys: ['acme 2'] } });
    const before = oracle.mayRun(program);
    oracle.noteHeard(2);
    const heard = oracle.mayRun(program);
    oracle.forget();
    expect([before, heard, oracle.mayRun(program)]).toEqual([true, false, true]);
  });

  it('a list was true from its publication to the next one', () => {
    const oracle = books();
    oracle.noteTruth('acme:lidar', { at: 10, print: 'a' });
    oracle.noteTruth('acme:lidar', { at: 20, print: 'b' });
    const found = [15, 20, 25].map((since) => oracle.wasTrue('acme:lidar', 'a', since));
    expect([...found, oracle.wasTrue('acme:lidar', 'b', 0)]).toEqual([true, false, false, true]);
  });

  it('the order of a list is no part of it', () => {
    const [a, b] = [
      { version: '1.1.0', digests: ['x'] },
      { version: '1.2.0', digests: ['y'], yanked: 'why' },
    ];
    expect(printOf([a, b])).toBe(printOf([b, a]));
    expect(printOf([a, b])).not.toBe(printOf([a, { ...b, digests: ['x'] }]));
  });
});

it.each(['books.ts', 'judge.ts'])('%s of the oracle imports nothing from src', (file) => {
  const text = readFileSync(join(ROOT, 'test/simulation/attacks', file), 'utf8');
  const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name);
  expect(imported).toEqual(file === 'judge.ts' ? ['./books.ts'] : []);
});

it('each attack that TUF names is tried', () => {
  expect([...new Set(ATTACKS.map(({ of }) => of))].toSorted()).toEqual(NAMES.toSorted());
});

it('[T580] a machine with a pin runs what its authors signed, in four attacks', async () => {
  const play = { seed: 1, attacks: 4 };
  const { violation, happened, lines } = await playAttacks(play);
  expect([violation, happened.length]).toEqual([undefined, 4]);
  expect((await playAttacks(play)).lines).toEqual(lines);
});
