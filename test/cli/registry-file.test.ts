import { expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';

it.each([
  ['', '--db is empty'],
  [':memory:', '--db is :memory:, which would be lost when the command ends: name a file'],
])('the registry file is not %j', async (db, message) => {
  expect(await inProcess(['registry', 'list', '--db', db])).toEqual({
    stdout: '',
    stderr: `error[USAGE]: ${message}\n`,
    exit: 2,
  });
});
