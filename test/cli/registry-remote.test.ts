import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { published } from '../support/published.ts';
import { PUBLISH, remote } from './support/remote-registry.ts';
import { tokenFor } from '../support/token.ts';

it('publishes, yanks and unyanks over HTTP', async () => {
  const { address, catalogue } = await loopbackRegistry();
  published({ catalogue }, 'acme:lidar', '1.2.8');
  const token = tokenFor(catalogue, ['publish:acme', 'yank:acme']);
  const artifact = ['--artifact', 'linux/arm64=https://m.example/x', '--size', '7'];
  const digest = ['--digest', `sha256:${'ab'.repeat(32)}`];
  const release = [...PUBLISH, ...artifact, ...digest, '--deprecated', 'use 2'];
  const yank = ['acme:lidar', '1.2.9'];
  const reason = ['--reason', 'stops'];
  const steps: readonly [readonly string[], string][] = [
    [release, 'acme:lidar: 1 published, 0 unchanged\n'],
    [release, 'acme:lidar: 0 published, 1 unchanged\n'],
    [
      [...release, '--json'],
      '{"schema":"modreg/registry-publish@1","module_id":"acme:lidar","published":0,"yanked":0,"unchanged":1,"files":[{"version":"1.2.9","platform":"linux/arm64","digest":"sha256:' +
        `${'ab'.repeat(32)}","size":7}]}\n`,
    ],
    [
      ['yank', ...yank, ...reason],
      `acme:lidar 1.2.9 is yanked: stops
  machines with 1.2.9, by the policy field on_yank:
    keep (default)  1.2.* keeps it, 1.* keeps it, latest keeps it, latest-with-prerelease keeps it
    replace         1.2.* moves to 1.2.8, 1.* moves to 1.2.8, latest moves to 1.2.8, latest-with-prerelease moves to 1.2.8
    a pin to 1.2.9 keeps it in either case
`,
    ],
    [['unyank', ...yank], 'acme:lidar 1.2.9 is not yanked\n'],
  ];
  for (const [args, stdout] of steps) {
    expect([args, await remote(address, args, token)]).toEqual([
      args,
      { stdout, stderr: '', exit: 0 },
    ]);
  }
  const [, released] = JSON.parse(
    Buffer.from(catalogue.document(moduleId('acme:lidar'))?.bytes ?? []).toString(),
  ).releases;
  expect(released).toMatchObject({
    version: '1.2.9',
    artifacts: [{ platform: 'linux/arm64', url: 'https://m.example/x', size: 7 }],
    deprecated: 'use 2',
    yanked: null,
  });
});

describe('a registry refuses', () => {
  const LINE = 'add the line "ADDRESS <token>" to $PLATFORM_HOME/tokens (mode 0600)';

  it.each<[string, readonly string[], readonly string[] | undefined, readonly [string, number]]>([
    [
      'a request without a token',
      PUBLISH,
      undefined,
      [
        `error[REGISTRY_REFUSED]: the registry ADDRESS denies access without a token (401): the request has no bearer token\nhint: set MODREG_TOKEN to a token, or ${LINE}\n`,
        4,
      ],
    ],
    [
      'a token without the scope',
      PUBLISH,
      ['publish:nimbus', 'yank'],
      [
        'error[REGISTRY_REFUSED]: the registry ADDRESS denies access with the token that was sent (403): the token t1 (test) does not have the scope publish:acme\nhint: its operator creates a token with it: modreg registry token create --name <name> --scope publish:acme\n',
        4,
      ],
    ],
    [
      'to yank with such a token',
      ['yank', 'acme:lidar', '1.0.0'],
      ['publish'],
      [
        'error[REGISTRY_REFUSED]: the registry ADDRESS denies access with the token that was sent (403): the token t1 (test) does not have the scope yank:acme\nhint: its operator creates a token with it: modreg registry token create --name <name> --scope yank:acme\n',
        4,
      ],
    ],
    [
      'other content of a version',
      ['publish', 'acme:lidar', '1.0.0', '--deprecated', 'old'],
      ['publish'],
      [
        'error[ALREADY_PUBLISHED]: acme:lidar 1.0.0 is already published with different content or publish time: it cannot change; yank it and publish another version\nhint: a release never changes: yank it, and publish another version, with the files of all its platforms in one command\n',
        1,
      ],
    ],
    [
      'to yank a version that it does not have',
      ['yank', 'acme:lidar', '9.0.0'],
      ['yank'],
      [
        'error[UNKNOWN_VERSION]: acme:lidar has no version 9.0.0\n  did you mean 1.0.0 ?\nhint: acme:lidar has 1 release: 1.0.0\n',
        1,
      ],
    ],
    [
      'to yank a module that it does not have',
      ['unyank', 'acme:arm', '9.0.0'],
      ['yank'],
      [
        'error[UNKNOWN_MODULE]: nothing was ever published for acme:arm\nhint: namespace acme has 1 module: lidar\n',
        3,
      ],
    ],
  ])('%s', async (_what, args, scopes, [stderr, exit]) => {
    const { address, catalogue } = await loopbackRegistry();
    published({ catalogue }, 'acme:lidar', '1.0.0');
    const token = scopes ? tokenFor(catalogue, scopes) : '';
    expect(await remote(address, args, token)).toEqual({ stdout: '', stderr, exit });
  });

  it('a publish time of long ago, and accepts it with a token that may import', async () => {
    const { address, catalogue } = await loopbackRegistry();
    const args = [...PUBLISH, '--published-at', '2020-01-01T00:00:00Z'];
    const refused = await remote(address, args, tokenFor(catalogue, ['publish'], 'ci'));
    expect([refused.stderr.replace(/clock, .*Z,/, 'clock, NOW,'), refused.exit]).toEqual([
      "error[BAD_VALUE]: /published_at: 2020-01-01T00:00:00Z is more than five minutes from the registry's clock, NOW, and the token does not have the scope import:acme\n",
      1,
    ]);
    const mirror = tokenFor(catalogue, ['import:acme'], 'mirror');
    expect((await remote(address, args, mirror)).stdout).toBe(
      'acme:lidar: 1 published, 0 unchanged\n',
    );
  });

  it('the releases of a file after the first one that conflicts', async () => {
    const { address, catalogue } = await loopbackRegistry();
    published({ catalogue }, 'acme:lidar', '1.0.1');
    const releases = [
      { version: '1.0.0' },
      { version: '1.0.1', deprecated: 'old' },
      { version: '1.0.2' },
    ];
    const folder = temporaryFolder({ 'list.json': JSON.stringify(releases) });
    const args = ['publish', 'acme:lidar', '--file', `${folder}/list.json`];
    expect(await remote(address, args, tokenFor(catalogue, ['publish']))).toEqual({
      stdout: '',
      stderr:
        'error[ALREADY_PUBLISHED]: acme:lidar 1.0.1 is already published with different content or publish time: it cannot change; yank it and publish another version\n  because 1 of 3 releases were accepted before 1.0.1, and those after it were not sent\nhint: a release never changes: yank it, and publish another version, with the files of all its platforms in one command\n',
      exit: 1,
    });
    expect(catalogue.summaries()).toMatchObject([{ count: 2 }]);
  });
});

it.each<[string, readonly string[], string]>([
  [
    'npm:https://registry.example',
    [],
    'error[BAD_ADDRESS]: modreg cannot publish to npm registries\nhint: publish with the tools of that registry\n',
  ],
  [
    'github:acme/lidar',
    [],
    'error[BAD_ADDRESS]: modreg cannot publish to GitHub\nhint: publish with the tools of that registry\n',
  ],
  [
    'oci:https://registry.example',
    [],
    'error[BAD_ADDRESS]: modreg cannot publish to OCI registries\nhint: publish with the tools of that registry\n',
  ],
  [
    'http://registry.example/x',
    [],
    'error[BAD_ADDRESS]: the registry ADDRESS is reached by plain http:, and others could read the token\nhint: use https:\n',
  ],
  [
    'https://registry.example/?token=x',
    [],
    'error[BAD_ADDRESS]: the address of the registry https://registry.example has a query or a fragment\nhint: remove it\n',
  ],
  [
    'https://me:pw@registry.example',
    [],
    'error[BAD_ADDRESS]: the registry address cannot be used: user info before the host registry.example: credentials do not belong here\n',
  ],
  [
    './registry.db',
    [],
    'error[USAGE]: --registry is a path, expected an address\nhint: --db names the file of a registry\n',
  ],
  [
    'https://registry.example',
    ['--db', 'x.db'],
    'error[USAGE]: --db and --registry name two registries, expected one\n',
  ],
  [
    'https://registry.example',
    ['--create'],
    'error[USAGE]: --create creates a file, and --registry is an address\n',
  ],
])('cannot publish to %s %j', async (address, options, stderr) => {
  const ended = await remote(address, [...PUBLISH, ...options]);
  expect([ended.stdout, ended.stderr, ended.exit]).toEqual(['', stderr, 2]);
});

it.each<[readonly string[], string, string]>([
  [['list'], 'acme:lidar  2 releases\nacme:own    1 release\nother:arm   1 release\n', ''],
  [['list', 'acme'], 'acme:lidar  2 releases\nacme:own    1 release\n', ''],
  [['list', 'acme:lidar'], 'acme:lidar  2 releases\n', ''],
  [['list', 'none'], 'no modules in the namespace none\n', ''],
  [['list', 'acme:'], '', 'error[BAD_MODULE_ID]: "acme:" is not a module id'],
  [['show', 'acme:lidar'], 'acme:lidar  2 releases\n  VERSION   PUBLISHED', ''],
  [
    ['show', 'acme:lidra'],
    '',
    'error[UNKNOWN_MODULE]: the registry ADDRESS has no module acme:lidra',
  ],
  [
    ['show', 'acme:lidar', '--db', 'x'],
    '',
    'error[USAGE]: --db and --registry name two registries',
  ],
])('%j reads a registry over HTTP, without a token', async (args, stdout, stderr) => {
  const { address, catalogue } = await loopbackRegistry();
  published({ catalogue }, 'acme:lidar', '1.2.8', '1.2.9');
  published({ catalogue }, 'acme:own', '1.0.0');
  published({ catalogue }, 'other:arm', '1.0.0');
  const shown = await remote(address, args, '');
  expect([shown.stdout.slice(0, stdout.length), shown.stderr.slice(0, stderr.length)]).toEqual([
    stdout,
    stderr,
  ]);
  expect(shown.exit === 0).toBe(stderr === '');
});
