import { describe, expect, it } from 'vitest';
import { acceptList } from '../../src/registry/acceptance.ts';
import { savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST } from '../../mocks/scripted-registry.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const FARTHEST = Number.MAX_SAFE_INTEGER;

function tooHigh(generation: number, most: number): string {
  const found = `generation ${generation}, expected at most ${most}`;
  return `registry-implausible: the list of acme:lidar at ${HOST} is too far ahead: ${found}`;
}

describe('[D40] a generation that is too far ahead', () => {
  it.each<[string, readonly number[], string]>([
    ['a first list with the highest generation', [2 ** 52], '2 entries'],
    ['a first list beyond it', [2 ** 52 + 1], tooHigh(2 ** 52 + 1, 2 ** 52)],
    ['a jump by a million', [57, 1_000_057], '2 entries'],
    ['a jump by more', [57, 1_000_058], tooHigh(1_000_058, 1_000_057)],
    ['to the end of all numbers', [57, FARTHEST], tooHigh(FARTHEST, 1_000_057)],
    [
      'the generation before',
      [57, 56],
      `registry-regressed: the list of acme:lidar at ${HOST} went backwards: generation 56, after 57`,
    ],
    ['and back to the next one', [57, FARTHEST, 58], '2 entries'],
  ])('%s', async (_, generations, expected) => {
    const { registry } = remembered(HOST);
    let outcome = '';
    for (const generation of generations) {
      asked.next(document(['1.0.0', '1.1.0'], { generation }));
      outcome = await outcomeOf(registry.read(LIDAR));
    }
    expect(outcome.replace('1.0.0 1.1.0', '2 entries')).toBe(expected);
  });

  it('the saved list stays but is not used, until an operator accepts the list', async () => {
    const machine = remembered(HOST);
    const saved = savedListsIn(machine.file);
    asked.next(document(['1.0.0']));
    await machine.registry.read(LIDAR);
    const before = machine.saved();
    asked.next(document(['1.0.0', '1.1.0'], { generation: FARTHEST }));
    const reading = machine.registry.read(LIDAR);
    await expect(reading).rejects.toMatchObject({
      kind: 'registry-implausible',
      hint: `modreg accept acme:lidar --registry ${HOST} accepts the current list; with --dry-run, it only shows what changed`,
    });
    expect(machine.saved()).toBe(before);
    const acceptance = await acceptList(LIDAR, machine.remote, { saved, clock: machine.clock });
    expect(acceptance?.generations).toEqual([57, FARTHEST]);
    expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.0.0 1.1.0');
  });
});
