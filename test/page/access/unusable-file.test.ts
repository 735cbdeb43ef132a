import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openPageFile } from '../../../src/page/access/page-file.ts';
import { openMachineFile } from '../../../src/store/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { protectedPage } from '../support/protected-page.ts';

it.each([
  ['page.db', (path: string) => openPageFile(path, 50)],
  ['machine.db', (path: string) => openMachineFile(path, { mode: 'read' })],
])('a damaged %s is named in the answer, but not where it is (T129)', async (name, open) => {
  const { app, ask, signIn } = protectedPage();
  const path = `${temporaryFolder()}/${name}`;
  writeFileSync(path, 'damaged'.repeat(1000));
  app.get('/shown', () => {
    open(path).close();
    return new Response('shown');
  });
  const answer = await ask('GET /shown', { authorization: `Bearer ${signIn()}` });
  expect(await answer.json()).toEqual({
    type: 'urn:modreg:unusable-file',
    title: 'A file cannot be used',
    status: 500,
    detail: `${name} is damaged: the output of modreg page says more`,
  });
});
