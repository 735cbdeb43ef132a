import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const NATS = ['--nats', 'nats://127.0.0.1:1'];
const MADE = 'openssl rand -base64 32 > secrets.key makes one; chmod 600 secrets.key';

/** A file with a text and a mode, in a folder with the registry of a single server. */
function files(text: string, mode = 0o600): { readonly key: string; readonly db: string } {
  const folder = temporaryFolder();
  const [key, db] = [`${folder}/secrets.key`, `${folder}/registry.db`];
  writeFileSync(key, text);
  chmodSync(key, mode);
  const catalogue = new Catalogue(db, { mode: 'create' });
  catalogue.configs.secrets.set('rover-7', 'MAPS', { value: 'correct horse', places: ['a'] });
  catalogue.close();
  return { key, db };
}

describe('[T799] the file that --secrets-key names', () => {
  it.each([
    ['has another text', 'correct horse battery', 0o600],
    ['is too short', Buffer.alloc(31).toString('base64'), 0o600],
    ['is too long', Buffer.alloc(33).toString('base64'), 0o600],
  ])('%s: the front does not start, and nothing is imported', async (_title, text, mode) => {
    const { key, db } = files(text, mode);
    for (const command of ['serve', 'import']) {
      const args = ['fleet', command, '--db', db, ...NATS, '--secrets-key', key];
      expect(await printed(args)).toEqual({
        stdout: [],
        stderr: [
          `error[USAGE]: --secrets-key: "${key}" has no key, expected 32 bytes in base64`,
          `hint: ${MADE}`,
        ],
        exit: 2,
      });
    }
  });

  it('can be read by others: it is not used', async () => {
    const { key, db } = files(Buffer.alloc(32).toString('base64'), 0o644);
    const { stderr } = await printed(['fleet', 'serve', '--db', db, ...NATS, '--secrets-key', key]);
    expect(stderr[0]).toBe(
      `error[PERMISSIONS]: others can read the file "${key}", which has a secret (mode 0644)`,
    );
  });
});

it('[D403] without a key, an import refuses a registry with secrets', async () => {
  const { db } = files('');
  expect(await printed(['fleet', 'import', '--db', db, ...NATS])).toEqual({
    stdout: [],
    stderr: [
      `error[USAGE]: "${db}" has secrets of 1 machine, and --secrets-key is missing; nothing was imported`,
      'hint: fronts keep values sealed with the key in that file, the same on all fronts',
    ],
    exit: 2,
  });
});
