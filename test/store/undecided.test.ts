import { describe, expect, it } from 'vitest';
import type { MachineState } from '../../src/store/machine-state.ts';
import { claimed, commitOne, LIDAR, running } from '../support/claimed.ts';
import { fallen, refused, REAR, TERMS, upgraded } from './support/undecided.ts';

describe('[D80] two versions fail in the same way', () => {
  it('the one that is started again and again is deployed, and the other waits for it', () => {
    const newest = fallen('1.1.0').state;
    expect([running(newest), ...refused(newest)]).toEqual([
      '1.1.0 after 1.0.0',
      '1.1.0 may be tried again, as 1.0.0',
      '1.0.0 waits for 1.1.0',
    ]);
    const proven = fallen('1.0.0').state;
    expect([running(proven), ...refused(proven)]).toEqual([
      '1.0.0 after nothing',
      '1.1.0 waits for 1.0.0',
      '1.0.0 may be tried again, as 1.1.0',
    ]);
    expect(proven.memory().of(LIDAR).failed).toBeUndefined();
  });

  it('if nothing runs, both wait', () => {
    expect(refused(fallen(null).state)).toEqual(['1.1.0 waits for 1.0.0', '1.0.0 waits for 1.1.0']);
  });

  it('what works for its probation lets the others be tried again, and after an hour its own failure is over', () => {
    const { state } = fallen('1.1.0');
    state.reportWorking(REAR, { version: '1.1.0', isProven: true });
    expect(refused(state)).toEqual(['1.1.0 may be tried again, as 1.0.0', '1.0.0 waits for 1.1.0']);
    state.reportWorking(LIDAR, { version: '1.1.0', isProven: false });
    expect(refused(state)).toEqual([
      '1.1.0 may be tried again, as 1.0.0',
      '1.0.0 may be tried again, as 1.1.0',
    ]);
    state.reportWorking(LIDAR, { version: '1.1.0', isProven: true });
    expect(refused(state)).toEqual(['1.0.0 may be tried again, as 1.1.0']);
  });

  it('a failure alone is no longer suspended, and no hour ends it', () => {
    const { state } = fallen('1.0.0');
    state.reportWorking(LIDAR, { version: '1.0.0', isProven: false });
    const failure = { version: '1.1.0', reason: 'it crashed', running: '1.0.0' };
    state.reportFailure(LIDAR, failure, { at: 6, quarantineUntil: undefined });
    state.reportWorking(LIDAR, { version: '1.1.0', isProven: true });
    expect(refused(state)).toEqual(['1.0.0 may be tried again, as 1.1.0', '1.1.0 failed']);
  });

  it('a failure that was reported alone is undecided once the version in its place fails as well', () => {
    const { state } = upgraded();
    const terms = { at: 3, quarantineUntil: undefined };
    const alone = { version: '1.1.0', reason: 'no camera', running: '1.0.0' };
    state.reportFailure(LIDAR, alone, terms);
    expect(refused(state)).toEqual(['1.1.0 failed']);
    state.reportFailure(LIDAR, { ...alone, blame: 'undecided' }, terms);
    expect([running(state), ...refused(state)]).toEqual([
      '1.0.0 after nothing',
      '1.1.0 waits for 1.0.0',
    ]);
  });

  it('a version that an operator refused stays refused', () => {
    const { state } = upgraded();
    const entry = { moduleId: 'acme:lidar', version: '1.1.0', reason: 'asked' } as const;
    state.quarantine({ ...entry, moduleId: entry.moduleId as never, since: 3 });
    const failure = { version: '1.1.0', reason: 'no camera', running: '1.0.0' } as const;
    state.reportFailure(LIDAR, { ...failure, blame: 'undecided' }, TERMS);
    state.reportWorking(LIDAR, { version: '1.1.0', isProven: true });
    expect(refused(state)).toEqual(['1.1.0 failed']);
    expect(state.memory().quarantine).toMatchObject([{ byOperator: true }]);
  });

  it('is forgotten with its quarantine, and not known to a later one', () => {
    const { state, sql } = fallen('1.1.0');
    state.lift('acme:lidar' as never, '1.0.0');
    expect(refused(state)).toEqual(['1.1.0 may be tried again, as 1.0.0']);
    // An earlier modreg records a failure: it leaves what it does not know.
    sql.run("UPDATE quarantine SET since = 9 WHERE version = '1.1.0'");
    state.reportWorking(LIDAR, { version: '1.0.0', isProven: false });
    expect(refused(state)).toEqual(['1.1.0 failed']);
    expect(refused(state, REAR)).toEqual(['1.1.0 failed']);
  });

  it('an earlier modreg reads a quarantine', () => {
    const { sql } = fallen('1.1.0');
    expect(sql.all('SELECT version, until, is_rollback FROM quarantine')).toEqual([
      { version: '1.0.0', until: null, is_rollback: 0 },
      { version: '1.1.0', until: null, is_rollback: 0 },
    ]);
  });
});

describe('[D80] a release that was undecided fails again', () => {
  const UNDECIDED = { kind: 'failed', blame: 'undecided', reason: 'no camera' } as const;
  const ALONE = { version: '1.1.0', reason: 'it crashed', running: null };

  /** The upgrade to 1.1.0 fails, and so does 1.0.0, which is then started again and again. */
  function triedInVain(state: MachineState): void {
    const { id } = commitOne(state);
    state.deliver(id, 3);
    state.acknowledge(id, { ...UNDECIDED, running: '1.0.0' }, TERMS);
  }

  /** The rollback to 1.0.0 fails in the same way: `now` is started again and again. */
  function rolledBackInVain(state: MachineState, now: string): void {
    const why = { version: '1.1.0', until: undefined, isRolledBack: false, text: '' };
    const rollback = { from: undefined, to: '1.0.0', direction: 'rollback' } as const;
    const { id } = commitOne(state, { ...rollback, reason: { kind: 'failure', ...why } });
    state.deliver(id, 3);
    state.acknowledge(id, { ...UNDECIDED, running: now }, TERMS);
  }

  /** 1.1.0 is tried once more, since 1.0.0 works, and fails alone. */
  function failedAgain(): MachineState {
    const { state } = claimed();
    state.report(LIDAR, '1.0.0', 1);
    triedInVain(state);
    works(state, '1.0.0');
    state.report(LIDAR, '1.1.0', 3);
    state.reportFailure(LIDAR, ALONE, TERMS);
    return state;
  }

  it('is to blame if the version before it has worked in between', () => {
    const { state } = claimed();
    state.report(LIDAR, '1.0.0', 1);
    triedInVain(state);
    expect(refused(state)).toEqual(['1.1.0 waits for 1.0.0']);
    triedInVain(state);
    expect(refused(state)).toEqual(['1.1.0 waits for 1.0.0']);
    works(state, '1.0.0');
    expect(refused(state)).toEqual(['1.1.0 may be tried again, as 1.0.0']);
    triedInVain(state);
    works(state, '1.0.0');
    expect([running(state), ...refused(state)]).toEqual(['1.0.0 after nothing', '1.1.0 failed']);
    // Something tries it all the same, such as an operator who lifts it for another entry.
    triedInVain(state);
    expect(refused(state)).toEqual(['1.1.0 failed']);
  });

  it('stays blamed, whatever fails in its place', () => {
    const state = failedAgain();
    rolledBackInVain(state, '1.0.0');
    state.reportFailure(LIDAR, { ...ALONE, running: '1.0.0', blame: 'undecided' }, TERMS);
    state.reportWorking(LIDAR, { version: '1.1.0', isProven: true });
    expect([running(state), ...refused(state)]).toEqual([
      '1.0.0 after nothing',
      '1.0.0 may be tried again, as 1.1.0',
      '1.1.0 failed',
    ]);
  });

  it('is not to blame if it is the one that is started again and again', () => {
    const state = failedAgain();
    rolledBackInVain(state, '1.1.0');
    expect([running(state), ...refused(state)]).toEqual([
      '1.1.0 after 1.0.0',
      '1.0.0 waits for 1.1.0',
      '1.1.0 may be tried again, as 1.0.0',
    ]);
  });

  it('a device that comes and goes takes neither the version in use nor the one that it goes back to', () => {
    const { state } = upgraded();
    for (let time = 1; time <= 3; time++) {
      state.reportFailure(LIDAR, ALONE, TERMS);
      rolledBackInVain(state, '1.1.0');
      expect([running(state), ...refused(state).toSorted()]).toEqual([
        '1.1.0 after 1.0.0',
        '1.0.0 waits for 1.1.0',
        '1.1.0 may be tried again, as 1.0.0',
      ]);
      works(state, '1.1.0');
    }
    // It is away for so long that 1.0.0 starts, and goes away again.
    state.reportFailure(LIDAR, { ...ALONE, running: '1.0.0' }, TERMS);
    state.reportFailure(LIDAR, { ...ALONE, running: '1.0.0', blame: 'undecided' }, TERMS);
    expect(refused(state).toSorted()).toEqual([
      '1.0.0 may be tried again, as 1.1.0',
      '1.1.0 waits for 1.0.0',
    ]);
  });
});

/** A version has been up for its probation. */
function works(state: MachineState, version: string): void {
  state.reportWorking(LIDAR, { version, isProven: false });
}

describe('[D81] a release fails in one of two entries', () => {
  it('the other entry knows where, until it fails there too', () => {
    const { state } = upgraded();
    const failure = { version: '1.1.0', reason: 'it crashed', running: null };
    state.reportFailure(REAR, failure, { at: 3, quarantineUntil: undefined });
    expect([refused(state), refused(state, REAR)]).toEqual([
      ['1.1.0 failed in rear'],
      ['1.1.0 failed'],
    ]);
    state.reportFailure(LIDAR, failure, { at: 4, quarantineUntil: undefined });
    expect([refused(state), refused(state, REAR)]).toEqual([['1.1.0 failed'], ['1.1.0 failed']]);
  });

  it('what is undecided in one waits in the other', () => {
    const { state } = fallen('1.0.0');
    expect(refused(state, REAR)).toEqual([
      '1.1.0 waits for 1.0.0 in lidar',
      '1.0.0 may be tried again, as 1.1.0 in lidar',
    ]);
  });

  it('what works in one ends no failure of the other', () => {
    const { state } = fallen('1.1.0');
    const failure = { version: '1.1.0', reason: 'it crashed', running: null };
    state.reportFailure(REAR, failure, { at: 5, quarantineUntil: undefined });
    expect(refused(state)).toEqual(['1.0.0 waits for 1.1.0', '1.1.0 failed in rear']);
    state.reportWorking(LIDAR, { version: '1.1.0', isProven: true });
    expect(refused(state)).toEqual(['1.0.0 may be tried again, as 1.1.0', '1.1.0 failed in rear']);
  });
});
