import { expect, it } from 'vitest';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { RESTART, signatureBy, type Said } from '../host/support/signed-command.ts';
import { sql } from '../support/backups.ts';
import { APPROVER, AUTHOR, role, STRANGER, trustOf } from '../support/signed.ts';
import { asking } from './support/asking.ts';

const SAID: Said = { ...RESTART, given: '2026-11-21T01:02:03Z', ends: '2026-11-21T02:02:03Z' };
const LATER = role('operator', 1, STRANGER);
const ONLY_LATER = trustOf([role('namespace *', 1, AUTHOR), LATER], undefined, { version: 2 });

/** The path of a registry with notes of a release, and with a command that an operator signed. */
async function registry(): Promise<string> {
  const { registry: one, as } = asking();
  const { path, catalogue } = one;
  const release = '/v1/modules/acme/lidar/releases';
  await as('publish', 'POST', release, { version: '1.4.0' });
  await as('publish', 'PUT', `${release}/1.4.0/notes`, { notes: 'Quieter fans.\n' });
  const roles = [role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)];
  catalogue.trust.store(trustOf(roles).text);
  const { id, kind, module, given, ends, reason } = SAID;
  const signatures = { [APPROVER.id]: signatureBy(APPROVER, SAID) };
  const signed = { given_at: given, expires_at: ends, signatures };
  const body = { key: id, kind, module, reason, signed };
  await as('commands', 'PUT', '/v1/machines/rover-7/commands', body);
  return path;
}

const WRONG = `command 1 of rover-7: the signature of key ${APPROVER.id} is not of this command`;

it.each<[string, string, readonly string[]]>([
  ['nothing', 'SELECT 1', []],
  ['another reason of a command', "UPDATE machine_commands SET reason = 'x'", [WRONG]],
  [
    'another machine of a command',
    "UPDATE machine_commands SET machine = 'rover-8'",
    [WRONG.replace('rover-7', 'rover-8')],
  ],
  [
    'a later end of a command',
    'UPDATE machine_commands SET expires_at = expires_at + 1000',
    [WRONG],
  ],
  [
    'signatures that cannot be read',
    "UPDATE machine_commands SET signed = '{'",
    ['command 1 of rover-7: its signatures cannot be read'],
  ],
  [
    'no wrong signature of a key that operates no more',
    `UPDATE machine_commands SET reason = 'x'; INSERT INTO trust_documents VALUES (2, '${ONLY_LATER.text}')`,
    [],
  ],
  [
    'empty notes',
    "UPDATE release_notes SET notes = ' '",
    ['the notes of acme:lidar 1.4.0: expected text that is not empty'],
  ],
  [
    'control characters in notes',
    'UPDATE release_notes SET notes = char(27)',
    ['the notes of acme:lidar 1.4.0: expected no control characters but tabs and line breaks'],
  ],
])('[D408] verify finds %s', async (_title, change, findings) => {
  const path = await registry();
  sql(path, change);
  expect(checkRegistry(path).findings).toEqual(findings);
});
