import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { modreg } from '../support/modreg.ts';

describe('the registry file at home', () => {
  it.each([
    [['list'], ', and --registry the address of a registry'],
    [['token', 'list'], ''],
    [['yank', 'acme:lidar', '1.2.9'], ', and --registry the address of a registry'],
  ])('%j says without --db what creates it', (args, more) => {
    const PLATFORM_HOME = temporaryFolder();
    expect(modreg(['registry', ...args], { PLATFORM_HOME }).stderr.split('\n')[1]).toBe(
      `hint: publish, token create and serve create this file; --db names another one${more}`,
    );
  });

  it('is named after a change if MODREG_REGISTRY names a registry that is not changed', () => {
    const PLATFORM_HOME = temporaryFolder();
    const environment = { PLATFORM_HOME, MODREG_REGISTRY: 'https://registry.example' };
    const note = `note: the file ${PLATFORM_HOME}/registry.db has the change: MODREG_REGISTRY is not used here, --registry names the address of a registry\n`;
    const stderrOf = (...args: readonly string[]): string =>
      modreg(['registry', ...args], environment).stderr;
    expect([
      stderrOf('publish', 'acme:lidar', '1.2.9'),
      stderrOf('yank', 'acme:lidar', '1.2.9'),
      stderrOf('unyank', 'acme:lidar', '1.2.9'),
      stderrOf('publish', 'acme:lidar', '1.3.0', '--db', `${PLATFORM_HOME}/registry.db`),
      modreg(['registry', 'yank', 'acme:lidar', '1.2.9'], { PLATFORM_HOME }).stderr,
    ]).toEqual([note, note, note, '', '']);
  });
});
