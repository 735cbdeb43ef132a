import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { checkPackage } from '../../src/agent/check-package.ts';
import { whyNotRunnable } from '../../src/agent/process/runnable.ts';
import { temporaryFolder } from '../support/folder.ts';
import { elf } from './support/elf-file.ts';
import { meta, packed, PROGRAM, program } from './support/unusable-files.ts';
import { UNUSABLE } from './support/unusable-packages.ts';

/** What a check of a file says: the program, or the kind of the refusal, who is to blame, and the reason. */
async function said(file: Buffer, platform: 'linux/amd64' | 'linux/arm64' = 'linux/amd64') {
  const folder = temporaryFolder({ 'package.tar.gz': file });
  const checked = await checkPackage(`${folder}/package.tar.gz`, platform);
  if (checked.ok) return ['ok', checked.value.program, checked.value.ignored.join(' ')];
  const { kind, blame, reason } = checked.error;
  return [kind, blame, reason.replaceAll(folder, '.').replaceAll(/\/tmp\/modreg-check-\w+/g, '@')];
}

it.each<[what: string, file: Buffer, expected: readonly string[]]>([
  ['a script', packed(meta(), PROGRAM), ['ok', 'run', '']],
  [
    'in a folder of its own',
    packed(
      { name: 'lidar/', type: '5', mode: 0o755 },
      { ...meta(), name: 'lidar/meta.json' },
      { ...PROGRAM, name: 'lidar/run' },
    ),
    ['ok', 'run', ''],
  ],
  ['a program for this platform', packed(meta(), program(elf(62))), ['ok', 'run', '']],
  ['one file that is a program', elf(62), ['ok', 'program', '']],
  [
    'an npm package, whose program npm makes executable',
    packed(
      { name: 'package.json', content: '{"bin":"cli.js"}' },
      { name: 'cli.js', content: '#!/usr/bin/env node\n' },
    ),
    ['ok', 'cli.js', ''],
  ],
  [
    'fields of other programs',
    packed(meta({ entrypoint: 'run', models: [], visibility: 'public' }), PROGRAM),
    ['ok', 'run', 'models visibility'],
  ],
  [
    'an interpreter of its own',
    packed(meta(), program('#!venv/bin/python\n'), program(elf(62), 'venv/bin/python')),
    ['ok', 'run', ''],
  ],
])('[D243] a machine can run %s', async (_what, file, expected) => {
  expect(await said(file)).toEqual(expected);
});

it.each(UNUSABLE)('[T641] no machine can run %s', async (_what, file, [kind, reason]) => {
  const [found, , text] = await said(file);
  expect([found, text]).toEqual([kind, reason]);
});

it.each(['pipe', 'folder'])('[T850] a %s is not a regular file', async (name) => {
  const folder = temporaryFolder({ 'folder/meta.json': '{}' });
  execFileSync('mkfifo', [`${folder}/pipe`]);
  const path = `${folder}/${name}`;
  expect(await checkPackage(path, 'linux/amd64')).toEqual({
    ok: false,
    error: { blame: 'release', kind: 'wrong-type', reason: `"${path}" is not a regular file` },
  });
});

it('[D243] a check leaves nothing behind', async () => {
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('modreg-check-'));
  await said(packed(meta(), PROGRAM));
  await said(packed(PROGRAM));
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('modreg-check-'))).toEqual(before);
});

it('[D243] the agent looks for a relative interpreter from the folder of the package', () => {
  const root = temporaryFolder({ run: '#!venv/bin/python\n', 'venv/bin/python': '#!/bin/sh\n' });
  for (const name of ['run', 'venv/bin/python']) chmodSync(`${root}/${name}`, 0o755);
  expect(whyNotRunnable(`${root}/run`, undefined, root)).toBeUndefined();
  expect(whyNotRunnable(`${root}/run`, undefined, `${root}/venv`)).toEqual({
    blame: 'machine',
    reason: 'its first line names venv/bin/python, which this machine does not have',
  });
});

it('says which folder of temporary files cannot be used', async () => {
  const { TMPDIR } = process.env;
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
  process.env['TMPDIR'] = '/nonexistent';
  const checked = await checkPackage('package.tar.gz', 'linux/amd64');
  expect(checked).toMatchObject({ ok: false, error: { blame: 'machine', kind: 'unusable-disk' } });
  expect(checked.ok ? '' : checked.error.reason).toContain('/nonexistent');
});
