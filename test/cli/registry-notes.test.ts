import { describe, expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

describe('the registry file at home', () => {
  it.each([
    [['list'], ', and --registry the address of a registry'],
    [['token', 'list'], ''],
    [['account', 'set', 'ada', '--role', 'viewer'], ''],
    [['yank', 'acme:lidar', '1.2.9'], ', and --registry the address of a registry'],
  ])('%j says without --db what creates it', async (args, more) => {
    const PLATFORM_HOME = temporaryFolder();
    expect((await inProcess(['registry', ...args], { PLATFORM_HOME })).stderr.split('\n')[1]).toBe(
      `hint: publish, token create, keys init and serve create this file; --db names another one${more}`,
    );
  });

  it('is named after a change if MODREG_REGISTRY names a registry that is not changed', async () => {
    const PLATFORM_HOME = temporaryFolder();
    const stderrOf = async (
      words: string,
      MODREG_REGISTRY?: string,
    ): Promise<readonly string[]> => {
      const environment = { PLATFORM_HOME, MODREG_REGISTRY };
      return (await printed(['registry', ...words.split(' ')], { environment })).stderr;
    };
    const other = 'https://registry.example';
    const note = `note: the file ${PLATFORM_HOME}/registry.db has the change: MODREG_REGISTRY is not used here, --registry names the address of a registry`;
    expect([
      await stderrOf('publish acme:lidar 1.2.9', other),
      await stderrOf('yank acme:lidar 1.2.9', other),
      await stderrOf('unyank acme:lidar 1.2.9', other),
      await stderrOf(`publish acme:lidar 1.3.0 --db ${PLATFORM_HOME}/registry.db`, other),
      await stderrOf('yank acme:lidar 1.2.9'),
    ]).toEqual([[note], [note], [note], [], []]);
  });
});
