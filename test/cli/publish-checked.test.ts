import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { elf } from '../agent/support/elf-file.ts';
import { UNUSABLE } from '../agent/support/unusable-packages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { packageFile } from '../support/tar-file.ts';

const HINT =
  'hint: nothing was published; for machines whose agent is not that of modreg, --no-check publishes it as it is';
const GOOD = packageFile();
const DIGEST = `sha256:${createHash('sha256').update(GOOD).digest('hex')}`;

const FILES = { 'lidar.tgz': GOOD, 'amd.bin': elf(62), 'notes.txt': 'notes' };

/** What `modreg registry publish` prints with these options, its exit code, and whether there is a registry afterwards. */
async function published(...options: readonly string[]): Promise<readonly unknown[]> {
  return await publishedOf(FILES, ...options);
}

async function publishedOf(
  files: Readonly<Record<string, string | Buffer>>,
  ...options: readonly string[]
): Promise<readonly unknown[]> {
  const folder = temporaryFolder(files);
  const db = `${folder}/registry.db`;
  const uploads = options.map((option) => option.replace('@', folder));
  const publish = ['registry', 'publish', 'acme:lidar', '1.0.0', '--db', db, '--create'];
  const { stdout, stderr, exit } = await inProcess([...publish, ...uploads]);
  return [`${stdout}${stderr}`.replaceAll(folder, '.').trimEnd(), exit, existsSync(db)];
}

const PUBLISHED = ['acme:lidar: 1 published, 0 unchanged', 0, true];

it.each<[what: string, options: readonly string[], expected: readonly unknown[]]>([
  ['a package', ['--upload', '@/lidar.tgz'], PUBLISHED],
  ['a program for its platform', ['--upload', 'linux/x86_64=@/amd.bin'], PUBLISHED],
  [
    'what no machine can run, with --no-check',
    ['--no-check', '--upload', '@/notes.txt'],
    PUBLISHED,
  ],
  [
    'what no machine can run',
    ['--upload', 'linux/arm64=@/notes.txt'],
    [
      `error[UNUSABLE_PACKAGE]: ./notes.txt cannot be run on linux/arm64: the file is of an unknown type, expected a tar archive compressed with gzip or zstd, or a program for Linux\n${HINT}`,
      1,
      false,
    ],
  ],
  [
    'one of two files that no machine can run',
    ['--upload', 'linux/amd64=@/lidar.tgz', '--upload', 'linux/arm64=@/amd.bin'],
    [
      `error[UNUSABLE_PACKAGE]: ./amd.bin cannot be run on linux/arm64: the program is for linux/amd64, expected linux/arm64\n${HINT}`,
      1,
      false,
    ],
  ],
  [
    'a program for one platform as a file for all',
    ['--upload', '@/amd.bin'],
    [
      `error[UNUSABLE_PACKAGE]: ./amd.bin cannot be run on linux/arm64: the program is for linux/amd64, expected linux/arm64\n${HINT}`,
      1,
      false,
    ],
  ],
  [
    'nothing, in a dry run of what no machine can run',
    ['--dry-run', '--upload', '@/notes.txt'],
    [
      `error[UNUSABLE_PACKAGE]: ./notes.txt cannot be run on linux/amd64: the file is of an unknown type, expected a tar archive compressed with gzip or zstd, or a program for Linux\n${HINT}`,
      1,
      false,
    ],
  ],
])('[D243] [T641] registry publish --upload publishes %s', async (_what, options, expected) => {
  expect(await published(...options)).toEqual(expected);
});

it.each(UNUSABLE)(
  '[T641] registry publish --upload refuses %s in the words of the agent',
  async (_what, file, [, reason]) => {
    const refused = await publishedOf({ package: file }, '--upload', 'linux/amd64=@/package');
    expect(refused).toEqual([
      `error[UNUSABLE_PACKAGE]: ./package cannot be run on linux/amd64: ${reason}\n${HINT}`,
      1,
      false,
    ]);
  },
);

it('--dry-run shows the entry with its digest, and changes nothing', async () => {
  const [json, exit, isThere] = await published('--dry-run', '--json', '--upload', '@/lidar.tgz');
  const [line = ''] = String(json).split('\n');
  expect([JSON.parse(line), exit, isThere]).toEqual([
    {
      schema: 'modreg/registry-publish@1',
      dry_run: true,
      module_id: 'acme:lidar',
      refused: null,
      releases: [
        {
          version: '1.0.0',
          artifacts: [
            {
              platform: 'any',
              url: `../../artifacts/sha256/${DIGEST.slice('sha256:'.length)}`,
              digest: DIGEST,
              size: GOOD.length,
            },
          ],
        },
      ],
    },
    0,
    false,
  ]);
  expect(json).toContain('nothing was changed; so much of acme:lidar would be published');
});

it('--json has the digest of each file', async () => {
  const [json] = await published('--json', '--upload', '@/lidar.tgz');
  expect(JSON.parse(String(json))).toMatchObject({
    files: [{ version: '1.0.0', platform: 'any', digest: DIGEST, size: GOOD.length }],
  });
});
