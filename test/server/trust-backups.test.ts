import { readdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { AUTHOR, role, ROOT_ONE, signed, STRANGER, trustOf } from '../support/signed.ts';

const NOW = Date.parse('2026-11-23T10:00:00Z');
const ROLES = [role('namespace acme', 1, AUTHOR)];
const FIRST = trustOf(ROLES).text;
const SECOND = trustOf(ROLES, [ROOT_ONE], { version: 2 }).text;
const LIDAR = moduleId('acme:lidar');

/** A registry with a key and these trust documents, and its backup. */
async function site(documents: readonly string[]) {
  const home = temporaryFolder();
  const [path, folder] = [`${home}/registry.db`, `${home}/backup`];
  writeFileSync(`${path}-key`, 'secret');
  const change = (work: (catalogue: Catalogue) => void): void => {
    const catalogue = new Catalogue(path, { mode: 'create' });
    work(catalogue);
    catalogue.close();
  };
  change((catalogue) => {
    for (const text of documents) catalogue.trust.store(text);
    const plain = { version: '1.0.0', published_at: '2026-11-21T01:02:03Z' };
    const release = readRelease(signed(LIDAR, plain, AUTHOR));
    if (release.ok) catalogue.publish(LIDAR, release.value, NOW);
  });
  await backUp(path, folder, NOW);
  const restored = (): readonly string[] => {
    expect(restore(folder, path, { replaces: true, now: NOW }).kind).toBe('done');
    const catalogue = new Catalogue(path, { mode: 'read' });
    const found = catalogue.trust.documents();
    catalogue.close();
    return found;
  };
  return { path, folder, change, restored };
}

it.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['a later version', [FIRST], [SECOND], [FIRST, SECOND]],
  ['its first keys', [], [FIRST, SECOND], [FIRST, SECOND]],
  ['no more', [FIRST, SECOND], [], [FIRST, SECOND]],
])(
  '[D169] a restored registry keeps the trust documents that the earlier one has: %s',
  async (_title, before, after, expected) => {
    const { change, restored } = await site(before);
    change((catalogue) => {
      for (const text of after) expect(catalogue.trust.store(text).ok).toBe(true);
    });
    expect(restored()).toEqual(expected);
  },
);

it('[D169] and none that do not follow from those of the backup', async () => {
  const { path, restored } = await site([FIRST]);
  const file = new DatabaseSync(path);
  file
    .prepare('INSERT INTO trust_documents VALUES (2, ?)')
    .run(trustOf(ROLES, [STRANGER], { version: 2, root: role('root', 1, STRANGER) }).text);
  file.close();
  expect(restored()).toEqual([FIRST]);
});

it('[D169] a backup has no key of the registry', async () => {
  const { folder } = await site([FIRST]);
  expect(
    readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('key')),
  ).toEqual([]);
});

it.each<[string, string, readonly string[]]>([
  ['nothing', 'SELECT 1', []],
  [
    'a release that was changed',
    'UPDATE releases SET published_at = published_at + 1000',
    [`acme:lidar: 1.0.0: the signature of key ${AUTHOR.id} is not of this release`],
  ],
  [
    'a yank that nobody signed so',
    `UPDATE releases SET yanked = 'x', content = json_set(content, '$.yank_signatures', json_extract(content, '$.signatures'))`,
    [`acme:lidar: 1.0.0: the signature of key ${AUTHOR.id} is not of its yank`],
  ],
  [
    'a trust document that was changed',
    "UPDATE trust_documents SET document = replace(document, 'acme-plant', 'other') WHERE version = 2",
    ['version 2 of the trust document has 0 of 1 signatures of its root keys'],
  ],
  [
    'a version that is missing',
    'DELETE FROM trust_documents WHERE version = 1',
    ['version 2 of the trust document follows none'],
  ],
])('[D170] verify finds %s', async (_title, change, findings) => {
  const { path } = await site([FIRST, SECOND]);
  const file = new DatabaseSync(path);
  file.exec(change);
  file.close();
  expect(checkRegistry(path).findings).toEqual(findings);
});
