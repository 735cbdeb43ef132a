import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Requester } from '../../src/core/decision/restart-request.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleId, version } from '../support/ask.ts';
import { claimed, LIDAR, startedWithout } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

const SITE: Requester = { by: 'site https://site.example, ann', because: 'it burns' };
const ANN: Requester = { by: 'ann', because: undefined };

function restart(state: MachineState, requestedAt: number, requester?: Requester): void {
  state.requestRestart(LIDAR, { requestedAt, isImmediate: false, requester });
}

function rollBack(state: MachineState, at: number, requester?: Requester): void {
  const rolledBack = { from: version('1.0.0'), to: version('0.9.0'), requester };
  state.rollBack(LIDAR, rolledBack, { at, until: undefined });
}

/** Who requested the restart, and who rolled back. */
function requestersIn(state: MachineState): readonly (Requester | undefined)[] {
  const { restartRequest, quarantine } = state.memory().of(LIDAR);
  return [restartRequest?.request.requester, quarantine[0]?.rolledBack?.requester];
}

/** A machine of 1.0.0 whose restart and rollback the site requested. */
function requested(path = `${temporaryFolder()}/machine.db`): ReturnType<typeof claimed> {
  const file = claimed(path);
  file.state.report(LIDAR, '1.0.0', 1);
  restart(file.state, 2, SITE);
  rollBack(file.state, 3, SITE);
  return file;
}

it.each<[string, (state: MachineState) => void, readonly (Requester | undefined)[]]>([
  ['are remembered', () => undefined, [SITE, SITE]],
  [
    'are those of later requests',
    (state) => {
      restart(state, 4, ANN);
      rollBack(state, 5, ANN);
    },
    [ANN, ANN],
  ],
  [
    'are not known of later requests of which nothing is said',
    (state) => {
      restart(state, 2);
      rollBack(state, 3);
    },
    [undefined, undefined],
  ],
  [
    'are forgotten with what they requested, also if it is requested again at the same time',
    (state) => {
      state.cancelRestart(LIDAR);
      state.lift(moduleId('acme:lidar'), '1.0.0');
      restart(state, 2);
      rollBack(state, 3);
    },
    [undefined, undefined],
  ],
])('[D424] who requested a restart and a rollback: they %s', (_, later, requesters) => {
  const { state } = requested();
  later(state);
  expect(requestersIn(state)).toEqual(requesters);
});

it('[D424, T71] a modreg without requesters uses a file that has some, and keeps them', () => {
  const path = `${temporaryFolder()}/machine.db`;
  requested(path).close();
  startedWithout('requesters', path);
  const { setAside, lostRows, state } = claimed(path);
  expect([setAside, lostRows, requestersIn(state)]).toEqual([undefined, [], [SITE, SITE]]);
});

it('[T813] a later request of an earlier modreg is not said to be requested by the site', () => {
  const path = `${temporaryFolder()}/machine.db`;
  requested(path).close();
  const migrations = LAYOUT.migrations.filter((sql) => !sql.includes('TABLE requesters'));
  const options = { mode: 'write', busyTimeoutMs: 0 } as const;
  const earlier = openDatabase(path, { ...LAYOUT, migrations }, options);
  earlier.exec(`
    UPDATE restart_requests SET requested_at = 7, checksum =
      row_checksum(kind, name, module_id, 7, is_immediate, failure);
    UPDATE quarantine SET since = 8, checksum =
      row_checksum(module_id, version, digest, 8, until, reason, is_rollback, rolled_back_to, refused)`);
  earlier.close();
  const { lostRows, state } = claimed(path);
  expect([lostRows, requestersIn(state)]).toEqual([[], [undefined, undefined]]);
});

it('[T814] a damaged record of who requested something loses that alone', () => {
  const first = requested();
  first.close();
  const database = new DatabaseSync(first.path);
  // A connection that is not modreg's leaves the checksum as it was.
  database.exec("UPDATE requesters SET requested_by = 'bob' WHERE request = 'restart'");
  database.close();
  const { lostRows, state } = claimed(first.path);
  expect(lostRows).toEqual([
    'a damaged row: who requested the restart of module lidar; the request stays',
  ]);
  expect(requestersIn(state)).toEqual([undefined, SITE]);
  expect(state.memory().of(LIDAR).restartRequest?.request.requestedAt).toBe(2);
});
