import { expect, it, onTestFinished } from 'vitest';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { printed, type Printed } from '../support/command.ts';
import { fileless } from '../support/fileless.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';

const PUBLISH = ['registry', 'publish', 'acme:lidar'];
const NOTE =
  'note: the registry began a rollout of 1.3.0: modreg rollout status --registry ADDRESS acme:lidar 1.3.0; --all-at-once would have released it to all machines';

const FILELESS = fileless('1.3.0');

/** Runs a command on a registry whose releases begin rollouts by default. */
async function staged(...args: readonly string[]): Promise<Printed> {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { staged: ['acme'] });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['publish'], 'ci') };
  const done = await printed([...args, '--registry', running.address], { environment });
  return { ...done, stderr: done.stderr.map((line) => line.replace(running.address, 'ADDRESS')) };
}

it.each<[readonly string[], readonly string[], readonly string[]]>([
  [[], ['acme:lidar: 1 published, 0 unchanged'], [NOTE, FILELESS]],
  [
    ['--json'],
    [
      '{"schema":"modreg/registry-publish@1","module_id":"acme:lidar","published":1,"yanked":0,"unchanged":0,"rollouts_started":["1.3.0"],"without_file":true}',
    ],
    [NOTE, FILELESS],
  ],
  [['--all-at-once'], ['acme:lidar: 1 published, 0 unchanged'], [FILELESS]],
  [['--rollout'], ['acme:lidar: 1 published, 0 unchanged'], [FILELESS]],
])(
  '[D220] [D448] publish %j says whether the registry began a rollout',
  async (args, stdout, stderr) => {
    const result = await staged(...PUBLISH, '1.3.0', ...args);
    expect(result).toEqual({ stdout, stderr, exit: 0 });
  },
);

it.each<[readonly string[], string]>([
  [
    ['--all-at-once', '--rollout', '--registry', 'http://127.0.0.1:9'],
    'error[USAGE]: --rollout begins a rollout, and --all-at-once none',
  ],
  [
    ['--all-at-once', '--db', 'registry.db'],
    'error[USAGE]: --all-at-once is for --registry: in a file, only --rollout begins a rollout',
  ],
])('[D220] publish %j is refused', async (args, error) => {
  const { stderr, exit } = await printed([...PUBLISH, '1.3.0', ...args], {});
  expect([stderr[0], exit]).toEqual([error, 2]);
});

it.each(['acme:lidar', '', '**', '-acme'])('[D220] --staged %j is refused', async (text) => {
  const { stderr, exit } = await printed(
    ['registry', 'serve', '--db', 'registry.db', `--staged=${text}`],
    {},
  );
  expect([stderr[0], exit]).toEqual([
    `error[USAGE]: --staged: ${text} is not a namespace, or *`,
    2,
  ]);
});
