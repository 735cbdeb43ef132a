import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { entry } from '../support/planned.ts';
import { polledSite } from '../support/polling.ts';
import { published } from '../support/published.ts';
import { tokenFor } from '../support/token.ts';
import { send } from '../../mocks/plain-server.ts';
import { answering, PUBLISH, remote } from './support/remote-registry.ts';

const NOTES = '# Faster\n\n- scans in **half** the time\n\tand safer\u202e\n';
const SHOWN = `acme:lidar  1.3.0
  VERSION   PUBLISHED                  PLATFORMS   STATE
  1.3.0     TIME   all

# Faster

- scans in **half** the time
    and safer\\u{202e}
`;
const OTHER = `error[ALREADY_PUBLISHED]: acme:lidar 1.3.0 has other release notes, which stay; the release itself is published
hint: release notes never change: correct them in those of the next release
`;

type Run = (...args: readonly string[]) => Promise<string>;

/** Runs `modreg registry …` with notes in files: all that it prints. */
async function runner(where: 'in a file' | 'over HTTP'): Promise<Run> {
  const folder = temporaryFolder({ 'notes.md': NOTES, 'other.md': 'Slower' });
  writeFileSync(`${folder}/large.md`, 'x'.repeat(65_537));
  writeFileSync(`${folder}/binary.md`, Buffer.from([0xff, 0xfe]));
  writeFileSync(`${folder}/empty.md`, '\n');
  const { address, catalogue } = await loopbackRegistry();
  const MODREG_TOKEN = tokenFor(catalogue, ['publish:acme'], 'ci');
  const place = where === 'in a file' ? ['--db', catalogue.path] : ['--registry', address];
  return async (...args) => {
    const named = args.map((arg) => arg.replace('@', folder));
    const { stdout, stderr } = await inProcess(['registry', ...named, ...place], { MODREG_TOKEN });
    const plain = `${stdout}${stderr}`.replaceAll(folder, '.');
    return plain.replaceAll(/20\d\d-[\d-]+T[\d:.]+Z/g, 'TIME');
  };
}

describe.each(['in a file', 'over HTTP'] as const)('[D379] release notes %s', (where) => {
  it('are published once, and shown with their release', async () => {
    const run = await runner(where);
    const publish = ['publish', 'acme:lidar', '1.3.0', '--notes'];
    const said: string[] = [];
    for (const file of ['@/notes.md', '@/notes.md', '@/other.md']) {
      said.push((await run(...publish, file)).replace(/^note: .*\n/m, ''));
    }
    said.push(await run('show', 'acme:lidar', '1.3.0'));
    expect(said).toEqual([
      'acme:lidar: 1 published, 0 unchanged, notes added\n',
      'acme:lidar: 0 published, 1 unchanged\n',
      OTHER,
      SHOWN,
    ]);
    expect(JSON.parse(await run('show', 'acme:lidar', '1.3.0', '--json'))).toMatchObject({
      schema: 'modreg/registry-show@1',
      releases: [{ version: '1.3.0', notes: NOTES }],
    });
    expect(JSON.parse(await run(...publish, '@/notes.md', '--json'))).toMatchObject({
      notes: 'unchanged',
    });
  });

  it('are named by --dry-run', async () => {
    const run = await runner(where);
    const dry = ['publish', 'acme:lidar', '1.3.0', '--notes', '@/notes.md', '--dry-run'];
    expect((await run(...dry)).split('\n')).toContain(
      'its release notes of 53 bytes would be added if the release has none',
    );
    const [json = ''] = (await run(...dry, '--json')).split('\n');
    expect(JSON.parse(json)).toMatchObject({ dry_run: true, notes_bytes: 53 });
    expect(await run('list')).not.toContain('lidar');
  });

  it('may be added to a release that has none', async () => {
    const run = await runner(where);
    await run('publish', 'acme:lidar', '1.3.0');
    expect((await run('show', 'acme:lidar', '1.3.0')).split('\n').slice(3)).toEqual([
      '',
      'no release notes',
      '',
    ]);
    expect(await run('publish', 'acme:lidar', '1.3.0', '--notes', '@/notes.md')).toContain(
      '0 published, 1 unchanged, notes added',
    );
  });

  it.each([
    [
      ['1.3.0', '--notes', '@/large.md'],
      'error[BAD_VALUE]: the release notes "./large.md": found more than 65536 bytes, expected at most 64 KiB\n',
    ],
    [
      ['1.3.0', '--notes', '@/binary.md'],
      'error[BAD_VALUE]: the release notes "./binary.md": found bytes that are not UTF-8\n',
    ],
    [
      ['1.3.0', '--notes', '@/empty.md'],
      'error[BAD_VALUE]: the release notes "./empty.md": expected text that is not empty\n',
    ],
    [
      ['1.3.0', '--notes', '@/none.md'],
      'error[UNREADABLE_FILE]: the file "./none.md" does not exist\n  did you mean ./notes.md ?\n',
    ],
    [
      ['1.3.0', '--dry-run', '--notes', '@/large.md'],
      'error[BAD_VALUE]: the release notes "./large.md": found more than 65536 bytes, expected at most 64 KiB\n',
    ],
    [
      ['--file', '@/notes.md', '--notes', '@/notes.md'],
      'error[USAGE]: --notes is for one release, and --file names several\n',
    ],
  ])('[T779] %j publishes nothing', async (args, said) => {
    const run = await runner(where);
    expect(await run('publish', 'acme:lidar', ...args)).toBe(said);
    expect(await run('list')).not.toContain('lidar');
  });

  it.each([
    ['acme:lidar', '2.0.0', 'error[UNKNOWN_VERSION]: acme:lidar has no version 2.0.0\n'],
    ['acme:lidar', '1.x', 'error[BAD_VERSION]: "1.x" is not a version'],
    ['acme lidar', '1.0.0', 'error[BAD_MODULE_ID]: "acme lidar" is not a module id'],
  ])('show %s %s is refused', async (module, version, said) => {
    const run = await runner(where);
    await run('publish', 'acme:lidar', '1.3.0');
    expect(await run('show', module, version)).toContain(said);
  });
});

/** The plan of a new machine with two entries of a module. */
async function planned(place: string, ...options: readonly string[]): Promise<Printed> {
  const modules = [entry('acme:lidar', '1.*'), entry('acme:lidar', '1.*', 'rear')];
  const folder = polledSite({ address: place }, { modules });
  const environment = { PLATFORM_HOME: `${folder}/new` };
  return await printed(['plan', `${folder}/machine.json`, ...options], { environment });
}

it('[D380] a plan says where the notes of what it deploys are', async () => {
  const { address, catalogue } = await loopbackRegistry();
  published({ catalogue }, 'acme:lidar', '1.2.9', '1.3.0');
  const [lidar, notes] = [moduleId('acme:lidar'), NOTES];
  const add = (version: string): unknown =>
    catalogue.apply({ kind: 'notes', moduleId: lidar, version, notes });
  add('1.2.9');
  expect((await planned(address)).stderr.filter(isOfNotes)).toEqual([]);
  add('1.3.0');
  const command = 'note: release notes: modreg registry show acme:lidar 1.3.0';
  expect([
    (await planned(address)).stderr.filter(isOfNotes),
    (await planned(catalogue.path)).stderr.filter(isOfNotes),
  ]).toEqual([[`${command} --registry ${address}`], [`${command} --db "${catalogue.path}"`]]);
  const { stdout } = await planned(address, '--json');
  expect(JSON.parse(stdout[0] ?? '')).toMatchObject({
    modules: [{ notes: true }, { notes: true }],
  });
});

it('[D380] a plan of lists in a folder names no command for notes, which a folder does not have', async () => {
  const lists = { 'acme/lidar.json': '{"releases":[{"version":"1.3.0","notes":true}]}' };
  const { stderr } = await planned(temporaryFolder(lists));
  expect(stderr.filter(isOfNotes)).toEqual([]);
});

function isOfNotes(line: string): boolean {
  return line.includes('notes');
}

it('a list that was read may be published again, without its notes', async () => {
  const folder = temporaryFolder({ 'list.json': '[{"version":"1.3.0","notes":true}]' });
  const db = `${folder}/registry.db`;
  const publish = ['registry', 'publish', 'acme:lidar', '--file', `${folder}/list.json`];
  const { stdout } = await inProcess([...publish, '--db', db, '--create']);
  expect(stdout).toBe('acme:lidar: 1 published, 0 unchanged\n');
});

it('[T779] an earlier registry publishes the release, and takes no notes', async () => {
  const folder = temporaryFolder({ 'notes.md': NOTES });
  const registry = await answering(
    (response) =>
      send(response, { module_id: 'acme:lidar', version: '1.2.9', result: 'published' }),
    (response) => {
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end('{"type":"urn:modreg:unknown-address","detail":"no"}');
    },
  );
  expect(await remote(registry.address, [...PUBLISH, '--notes', `${folder}/notes.md`])).toEqual({
    stdout: '',
    stderr:
      'error[BAD_VALUE]: the registry takes no release notes: its modreg is an earlier one; the release itself is published\n',
    exit: 1,
  });
  expect(registry.requests).toHaveLength(2);
});
