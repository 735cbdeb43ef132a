import { expect, it } from 'vitest';
import { modreg } from '../support/modreg.ts';

it.each([
  ['', '--db is empty'],
  [':memory:', '--db is :memory:, which would be lost when the command ends: name a file'],
])('the registry file is not %j', (db, message) => {
  expect(modreg(['registry', 'list', '--db', db])).toEqual({
    stdout: '',
    stderr: `error[USAGE]: ${message}\n`,
    exit: 2,
  });
});
