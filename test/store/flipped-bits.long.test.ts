import { expect, it } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { fillMachineFile, flipBits } from '../faults/flip-bits.ts';
import { ARM, claimed, LIDAR } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

it('[T90] a flipped bit changes no answer without a report, in 500 places', () => {
  // `npm run faults -- flips` flips more.
  const { silent, harmless, ...reported } = flipBits(500, 1);
  expect(silent).toEqual([]);
  const count = reported.files + reported.rows + reported.errors;
  expect([harmless + count, Object.values(reported).every((some) => some > 0)]).toEqual([
    500,
    true,
  ]);
});

it('[T90] a reader refuses a file with a damaged row, and the poller sets the row aside alone', () => {
  const path = `${temporaryFolder()}/machine.db`;
  fillMachineFile(path);
  const file = claimed(path);
  // A change without the triggers that a program has.
  file.database.exec(`DROP TRIGGER seal_quarantine; DROP TRIGGER seal_deployed;
    UPDATE quarantine SET version = '3.0.1'; UPDATE deployed SET text = '1.2.0' WHERE name = 'lidar'`);
  file.close();
  expect(() => openMachineFile(path, { mode: 'read' })).toThrow(
    `"${path}": a row of the table deployed is damaged; the next start of modreg agent run or modreg poll sets it aside`,
  );
  const healed = claimed(path);
  expect(healed.lostRows).toEqual([
    'a damaged row: the deployed version of module lidar; it is unknown until it is reported',
    'a damaged row: the quarantine of acme:arm 3.0.1; it stays until it is lifted: check its version',
  ]);
  const { quarantine, open } = healed.state.memory();
  expect([healed.setAside, open.length, healed.state.memory().of(ARM).deployed.kind]).toEqual([
    undefined,
    2,
    'version',
  ]);
  expect(quarantine).toMatchObject([
    { until: undefined, reason: 'its record was damaged, so it stays until it is lifted' },
  ]);
  healed.close();
  const reader = openMachineFile(path, { mode: 'read' });
  expect(machineStateIn(reader).memory().of(LIDAR).deployed.kind).toBe('unknown');
  reader.close();
});

const INSERT_DAMAGED = `
  WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
  INSERT INTO restarts (action, kind, name, at) SELECT ? + n, 'module', 'lidar', 1 FROM numbers`;
const KEPT = `
  SELECT count(*) AS rows, min(row ->> '$.action') AS first, max(row ->> '$.action') AS last
  FROM damaged_rows`;

it('[T90] the newest thousand damaged rows are kept, from all starts together', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const kept = [999, 3].map((damaged, start) => {
    const file = claimed(path);
    // Rows without a checksum.
    file.database.exec('DROP TRIGGER seal_new_restarts');
    file.sql.run(INSERT_DAMAGED, damaged, 10_000 * start);
    file.close();
    const healed = claimed(path);
    const rows = healed.sql.get(KEPT);
    healed.close();
    return [healed.lostRows.length, rows];
  });
  expect(kept).toEqual([
    [999, { rows: 999, first: 1, last: 999 }],
    [3, { rows: 1000, first: 3, last: 10_003 }],
  ]);
});
