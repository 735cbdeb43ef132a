import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { RecordedHold } from '../../src/core/decision/operator-hold.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { AGENT, ARM, claimed, LIDAR, startedWithout } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

const HOLD: RecordedHold = {
  of: { kind: 'module', name: 'lidar' },
  by: 'ann',
  because: 'on stage',
  since: 5,
  endsAt: undefined,
  longestMs: 100,
  elapsedMs: 0,
  countedAt: 5,
};
const MACHINE: RecordedHold = {
  ...HOLD,
  of: { kind: 'machine', name: '' },
  since: 6,
  endsAt: 50,
  countedAt: undefined,
};

/** What is held, by target. */
function heldIn(state: MachineState): readonly (readonly string[])[] {
  const memory = state.memory();
  return [LIDAR, ARM, AGENT].map(
    (target) => memory.of(target).holds?.map(({ of, because }) => `${of.kind}: ${because}`) ?? [],
  );
}

describe('[D75] the holds of operators', () => {
  it('are kept as they were set', () => {
    const first = claimed();
    first.state.setHold(HOLD);
    first.state.setHold(MACHINE);
    first.close();
    const { state } = claimed(first.path);
    expect(state.memory().holds).toEqual([HOLD, MACHINE]);
    const machine = 'machine: on stage';
    expect(heldIn(state)).toEqual([['module: on stage', machine], [machine], [machine]]);
  });

  it('are one for each target: a later one takes the place of the earlier', () => {
    const { state } = claimed();
    state.setHold(HOLD);
    state.setHold({ ...HOLD, because: 'fair', since: 7 });
    expect(heldIn(state)).toEqual([['module: fair'], [], []]);
  });

  it('end, unless another one took their place', () => {
    const { state } = claimed();
    state.setHold(HOLD);
    expect([state.endHold(HOLD.of, 4), state.endHold(MACHINE.of)]).toEqual([false, false]);
    expect(heldIn(state)).toEqual([['module: on stage'], [], []]);
    expect([state.endHold(HOLD.of, 5), state.endHold(HOLD.of)]).toEqual([true, false]);
    expect(heldIn(state)).toEqual([[], [], []]);
  });

  it('are counted, unless another one took their place', () => {
    const { state } = claimed();
    state.setHold(HOLD);
    const elapsed = { elapsedMs: 40, countedAt: undefined };
    state.countHold({ ...HOLD, since: 4 }, elapsed);
    expect(state.memory().holds).toEqual([HOLD]);
    state.countHold(HOLD, elapsed);
    expect(state.memory().holds).toEqual([{ ...HOLD, ...elapsed }]);
  });
});

describe('[T338] a damaged record of a hold', () => {
  it.each(["name = 'lidat'", "kind = 'nodule'", 'longest_ms = 0', 'elapsed_ms = 99'])(
    'with %s holds the machine',
    (change) => {
      const first = claimed();
      first.state.setHold(HOLD);
      first.close();
      const database = new DatabaseSync(first.path);
      // A connection that is not modreg's leaves the checksum as it was.
      database.exec(`UPDATE operator_holds SET ${change}`);
      database.close();
      const { lostRows, state } = claimed(first.path);
      expect(lostRows).toEqual([
        'a damaged row: a hold of an operator; the whole machine is held until modreg unhold ends that, for at most 30 days',
      ]);
      expect(state.memory().holds).toEqual([
        {
          ...MACHINE,
          by: 'modreg',
          because: 'the record of a hold was damaged',
          since: 5,
          endsAt: undefined,
          longestMs: 30 * 86_400_000,
        },
      ]);
    },
  );
});

it('[T339] a modreg without holds uses a file that has some, and keeps them', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const first = claimed(path);
  first.state.setHold(HOLD);
  first.close();
  startedWithout('operator_holds', path);
  const { setAside, state } = claimed(path);
  expect([setAside, state.memory().starts, state.memory().holds]).toEqual([undefined, [7], [HOLD]]);
});
