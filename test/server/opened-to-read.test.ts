import { describe, expect, it } from 'vitest';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { published } from '../support/published.ts';

const LIDAR = moduleId('acme:lidar');

function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof DatabaseError ? [error.kind, error.message] : error;
  }
}

describe('[T310] a catalogue that is opened to read refuses', () => {
  it.each<[string, (catalogue: Catalogue) => unknown]>([
    [
      'publish',
      (catalogue) => {
        const release = readRelease({ version: '2.0.0' });
        return release.ok && catalogue.publish(LIDAR, release.value, 0);
      },
    ],
    ['yank', (catalogue) => catalogue.yank(LIDAR, '1.0.0', '')],
    ['createToken', (catalogue) => catalogue.createToken({ name: 'ci', scopes: ['publish'] }, 0)],
    ['revokeToken', (catalogue) => catalogue.revokeToken('t1', 0)],
  ])('%s', (_name, change) => {
    const path = `${temporaryFolder()}/registry.db`;
    const catalogue = new Catalogue(path, { mode: 'create' });
    published({ catalogue }, 'acme:lidar', '1.0.0');
    for (const name of [path, ':memory:']) {
      const reader = new Catalogue(name, { mode: 'read' });
      expect(thrown(() => change(reader))).toEqual([
        'unwritable',
        `"${name}": attempt to write a readonly database`,
      ]);
      reader.close();
    }
    expect([catalogue.sequence(), catalogue.tokens()]).toEqual([1, []]);
    catalogue.close();
  });
});

it('[T310] a file of reports that is opened to read refuses a change', () => {
  const path = `${temporaryFolder()}/registry-fleet.db`;
  const written = new FleetFile(path, () => 0);
  const count = 'SELECT count(*) AS n FROM machines';
  written.read((sql) => sql.get(count));
  const reader = new FleetFile(path, () => 0, { mode: 'read' });
  expect(thrown(() => reader.write((sql) => sql.run('DELETE FROM machines')))).toEqual([
    'unwritable',
    `"${path}": attempt to write a readonly database`,
  ]);
  reader.close();
  written.close();
});
