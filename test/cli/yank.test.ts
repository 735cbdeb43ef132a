import { describe, expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { newFile, registry } from './support/registry-command.ts';

describe('[D33] modreg registry yank prints what machines with the release do', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      '1.2.9',
      ['1.2.8', '1.2.9', '1.4.0', '2.0.0-rc.1'],
      [
        'keep (default)  1.2.* keeps it, 1.* moves to 1.4.0, latest moves to 1.4.0, latest-with-prerelease moves to 2.0.0-rc.1',
        'replace         1.2.* moves to 1.2.8, 1.* moves to 1.4.0, latest moves to 1.4.0, latest-with-prerelease moves to 2.0.0-rc.1',
      ],
    ],
    [
      '2.0.0-rc.1',
      ['1.4.0', '2.0.0-rc.1'],
      [
        'keep (default)  2.0.* keeps it, 2.* keeps it, latest keeps it, latest-with-prerelease keeps it',
        'replace         2.0.* keeps it, 2.* keeps it, latest moves to 1.4.0, latest-with-prerelease moves to 1.4.0',
      ],
    ],
  ])('%s of %j', async (version, releases, lines) => {
    const db = newFile();
    for (const release of releases) await registry(db, 'publish', 'acme:lidar', release);
    const { stdout } = await registry(db, 'yank', 'acme:lidar', version);
    expect(stdout.split('\n').slice(1, -1)).toEqual([
      `  machines with ${version}, by the policy field on_yank:`,
      ...lines.map((line) => `    ${line}`),
      `    a pin to ${version} keeps it in either case`,
    ]);
  });

  it('says what machines do that are in no rollout, and which rollouts there are', async () => {
    const db = newFile();
    for (const release of ['1.1.0', '1.2.0']) await registry(db, 'publish', 'acme:lidar', release);
    await registry(db, 'publish', 'acme:lidar', '1.6.0', '--rollout');
    const yank = async (version: string): Promise<readonly string[]> =>
      (await printed(['registry', 'yank', 'acme:lidar', version, '--db', db])).stdout;
    expect((await yank('1.1.0')).slice(2)).toEqual([
      '    keep (default)  1.1.* keeps it, 1.* moves to 1.2.0, latest moves to 1.2.0, latest-with-prerelease moves to 1.2.0',
      '    replace         1.1.* keeps it, 1.* moves to 1.2.0, latest moves to 1.2.0, latest-with-prerelease moves to 1.2.0',
      '    a pin to 1.1.0 keeps it in either case',
      '    machines in the rollout of 1.6.0 (0.1 %) may have that instead',
    ]);
    expect((await yank('1.6.0')).slice(5)).toEqual([]);
  });

  it('prints it as data with --json', async () => {
    const db = newFile();
    for (const release of ['1.2.8', '1.2.9']) await registry(db, 'publish', 'acme:lidar', release);
    const { stdout } = await registry(db, 'yank', 'acme:lidar', '1.2.9', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      version: '1.2.9',
      on_yank: [
        { constraint: '1.2.*', keep: '1.2.9', replace: '1.2.8' },
        { constraint: '1.*', keep: '1.2.9', replace: '1.2.8' },
        { constraint: 'latest', keep: '1.2.9', replace: '1.2.8' },
        { constraint: 'latest-with-prerelease', keep: '1.2.9', replace: '1.2.8' },
      ],
    });
  });
});
