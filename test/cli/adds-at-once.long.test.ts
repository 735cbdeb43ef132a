import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contentOf, folderWith } from './support/adding.ts';
import { runModreg } from '../support/modreg.ts';

it('[T123] modreg add six times at once: each module that was added is in the file', async () => {
  const folder = folderWith();
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `acme:${name}`);
  for (const id of ids) {
    const file = join(folder, `lists/${id.replace(':', '/')}.json`);
    writeFileSync(file, '{"releases":[{"version":"1.0.0"}]}');
  }
  const ended = await Promise.all(
    ids.map(async (id) => {
      const { exit } = await runModreg([
        'add',
        id,
        `${folder}/machine.json`,
        '--platform',
        'linux/arm64',
      ]);
      return { id, exit };
    }),
  );
  const added = ended.flatMap(({ id, exit }) => (exit === 0 ? [id] : []));
  const listed = ids.filter((id) => contentOf(folder).includes(`"${id}"`));
  expect(ended.filter(({ exit }) => exit !== 0 && exit !== 70)).toEqual([]);
  expect(listed).toEqual(added);
  expect(added.length).toBeGreaterThan(0);
});
