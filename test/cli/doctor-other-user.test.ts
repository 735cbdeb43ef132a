import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkHome } from '../../src/cli/doctor/home-check.ts';
import { temporaryFolder } from '../support/folder.ts';

it.each([
  [undefined, ''],
  ['machine.json', ' machine.json'],
  ['my machine.json', " 'my machine.json'"],
])('modreg doctor of another user names the machine config %s to look at', (named, argument) => {
  const path = temporaryFolder();
  const stats = statSync(path);
  const uid = stats.uid + 1;
  const rest = {
    isNamed: true,
    unwritable: undefined,
    noexec: undefined,
    disk: undefined,
    file: 'ENOENT',
    hasSystemd: true,
  };
  const [finding] = checkHome({ path, stats, uid, ...rest }, named);
  expect(finding?.fix).toBe(
    `sudo -u '#${stats.uid}' env PLATFORM_HOME=${path} modreg doctor${argument}`,
  );
});
