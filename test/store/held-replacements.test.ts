import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { ARM, claimed, LIDAR, moduleNamed } from '../support/claimed.ts';

const HELD = { deployed: '1.2.3', since: 5, elapsedMs: 40, countedAt: undefined };

describe('[D79] since when something is held', () => {
  it('is kept as it was recorded, until it ends', () => {
    const first = claimed();
    first.state.noteHeld(LIDAR, { ...HELD, elapsedMs: 0, countedAt: 5 });
    first.state.noteHeld(LIDAR, HELD);
    first.close();
    const { state } = claimed(first.path);
    expect([LIDAR, ARM].map((target) => state.memory().of(target).held)).toEqual([HELD, undefined]);
    expect(state.memory().held).toEqual([{ kind: 'module', name: 'lidar', ...HELD }]);
    state.endHeld(ARM);
    expect(state.memory().held).toHaveLength(1);
    state.endHeld(LIDAR);
    expect(state.memory().held).toEqual([]);
  });

  it('is not that of another module with the same name', () => {
    const { state } = claimed();
    state.noteHeld(LIDAR, HELD);
    expect(state.memory().of(moduleNamed('lidar', 'acme:arm')).held).toBeUndefined();
  });
});

describe('[D79] a damaged record of when something was first held', () => {
  it.each(["name = 'lidat'", 'elapsed_ms = 99', "deployed = '1.2.2'"])(
    'with %s counts from anew',
    (change) => {
      const first = claimed();
      first.state.noteHeld(LIDAR, HELD);
      first.close();
      const database = new DatabaseSync(first.path);
      // A connection that is not modreg's leaves the checksum as it was.
      database.exec(`UPDATE held_replacements SET ${change}`);
      database.close();
      const { lostRows, state } = claimed(first.path);
      const name = change.startsWith('name') ? 'lidat' : 'lidar';
      expect(lostRows).toEqual([
        `a damaged row: since when module ${name} is held; longest_hold begins again`,
      ]);
      expect(state.memory().held).toEqual([]);
    },
  );
});
