import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { plainServer } from '../../mocks/plain-server.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const OLDER =
  'the front at 10.0.0.7:51234 has modreg 0.3.0, which reads events up to schema 2, and this change needs schema 3: upgrade modreg there first; nothing was changed';
const NO_KEY = 'this front has no key for secrets: start it with --secrets-key';

/** What `modreg fleet` says of a front that refuses it with a problem of this kind. */
async function refused(kind: string, detail: string, ...command: string[]): Promise<unknown> {
  const { address } = await plainServer((response, { method }) => {
    const isRefused = method === 'PUT' || kind === 'no-secrets';
    const [status, found] = isRefused ? [409, kind] : [404, 'unknown-config'];
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ type: `urn:modreg:${found}`, title: 'x', status, detail }));
  });
  const args = [...command, '--machine', 'rover-7', '--registry', address];
  const { stderr } = await printed(['fleet', ...args], { environment: { MODREG_TOKEN: 'x' } });
  return stderr[0];
}

it('[T792] a command and documents that an older front could not read', async () => {
  const file = `${temporaryFolder()}/machine.json`;
  writeFileSync(file, '{}');
  const reason = ['--reason', 'a test'];
  const found = [
    await refused('older-front', OLDER, 'hold', '--for', '1h', ...reason),
    await refused('older-front', OLDER, 'config', 'set', file, ...reason),
  ];
  expect(found).toEqual([`error[OLDER_FRONT]: ${OLDER}`, `error[OLDER_FRONT]: ${OLDER}`]);
});

it('[T798] secrets at a front without the key', async () => {
  const found = await refused('no-secrets', NO_KEY, 'config', 'secret', 'list');
  expect(found).toBe(`error[REGISTRY_REFUSED]: ${NO_KEY}`);
});
