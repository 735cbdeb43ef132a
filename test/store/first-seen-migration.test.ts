import { expect, it } from 'vitest';
import { openDatabase } from '../../src/sqlite/database.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

const HERE = 'modreg:https://registry.example/';

it('[D59] [T298] first-seen times of an earlier modreg limit nothing until a time is certain', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const earlier = { ...LAYOUT, migrations: LAYOUT.migrations.slice(0, 7) };
  const database = openDatabase(path, earlier, { mode: 'create', busyTimeoutMs: 0 });
  database.exec(`
    INSERT INTO first_seen (address, module_id, version, absent_at, seen_at) VALUES
      ('${HERE}', 'acme:lidar', '', NULL, 100),
      ('${HERE}', 'acme:lidar', '1.1.0', NULL, 100),
      ('${HERE}', 'acme:lidar', '1.2.0', 100, 5);
    UPDATE first_seen SET checksum = row_checksum(address, module_id, version, absent_at, seen_at)`);
  database.close();
  const file = openMachineFile(path);
  const expected = [
    ['1.1.0', { after: -Infinity, at: Infinity }],
    ['1.2.0', { after: 100, at: Infinity }],
  ] as const;
  expect(savedListsIn(file).firstSeen(HERE, moduleId('acme:lidar'))).toEqual({
    since: 100,
    added: new Map(expected),
  });
  const damaged = file.sql.all(`
    SELECT version FROM first_seen
    WHERE checksum IS NOT row_checksum(address, module_id, version, absent_at, seen_at)`);
  expect(damaged).toEqual([]);
  file.close();
});
