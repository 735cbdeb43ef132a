import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { storedPassword } from '../../src/server/accounts/password.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';

const PASSWORD = 'correct horse battery';

it('[T777] a file without the row that tells whether it is of a front is not changed, and its accounts open nothing', async () => {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  onTestFinished(() => catalogue.close());
  const { accounts } = catalogue;
  accounts.set({ name: 'ada', role: 'admin', password: await storedPassword(PASSWORD) }, 1);
  const ada = await accounts.withPassword('ada', PASSWORD);
  expect(ada && accounts.roleOf(ada)).toBe('admin');
  const database = new DatabaseSync(path);
  database.exec('DELETE FROM catalogue');
  database.close();
  expect(ada && accounts.roleOf(ada)).toBe(undefined);
  expect(await accounts.withPassword('ada', PASSWORD)).toBe(undefined);
  expect(() => accounts.remove('ada')).toThrow(`"${path}": its table catalogue is empty`);
});
