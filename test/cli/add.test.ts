import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adding, contentOf, folderWith, IGNORED, MACHINE } from './support/adding.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { sh } from '../support/shell.ts';

function component(name: string): object {
  return { name, model: `acme:${name}:x`, type: 'sensor', namespace: 'rdk' };
}

describe('[D45] modreg add', () => {
  it.each<[string, readonly string[], object, readonly string[]]>([
    [
      'pins a module to its newest release',
      ['acme:lidar'],
      {},
      [
        './machine.json: added acme:lidar 1.2.9 (pinned) as acme_lidar',
        '"name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.9"',
        IGNORED,
      ],
    ],
    [
      'under the policy beside the machine config, whose minimum age it applies',
      ['acme:lidar'],
      { minimum_release_age: '3d' },
      [
        './machine.json: added acme:lidar 1.2.8 (pinned) as acme_lidar',
        '"name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.8"',
        IGNORED,
      ],
    ],
    [
      'under the terms of the policy for the name of the entry',
      ['acme:lidar', '--name', 'front'],
      { modules: { front: { minimum_release_age: '3d' } } },
      [
        './machine.json: added acme:lidar 1.2.8 (pinned) as front',
        '"name": "front", "module_id": "acme:lidar", "version": "1.2.8"',
        IGNORED,
      ],
    ],
    [
      'pins a build',
      ['acme:arm'],
      {},
      [
        './machine.json: added acme:arm 1.0.0+exp (pinned) as acme_arm',
        '"name": "acme_arm", "module_id": "acme:arm", "version": "1.0.0+exp"',
      ],
    ],
    [
      'with a constraint',
      ['acme:lidar', '--version', '1.2.*'],
      {},
      [
        './machine.json: added acme:lidar 1.2.* (now 1.2.9) as acme_lidar',
        '"name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.*"',
        IGNORED,
      ],
    ],
    [
      'with a constraint for prereleases',
      ['acme:cam', '--version', 'latest-with-prerelease'],
      {},
      [
        './machine.json: added acme:cam latest-with-prerelease (now 1.0.0-rc.1) as acme_cam',
        '"name": "acme_cam", "module_id": "acme:cam", "version": "latest-with-prerelease"',
      ],
    ],
    [
      'with a pin to a yanked release, and a warning',
      ['acme:lidar', '--version', '1.1.0'],
      {},
      [
        './machine.json: added acme:lidar 1.1.0 (pinned) as acme_lidar',
        '"name": "acme_lidar", "module_id": "acme:lidar", "version": "1.1.0"',
        'warning[YANKED]: acme:lidar 1.1.0 is yanked: burns; a pin may still name it',
        IGNORED,
      ],
    ],
    [
      'for another platform',
      ['acme:gps', '--platform', 'linux/amd64'],
      { require_digest: false },
      [
        './machine.json: added acme:gps 1.0.0 (pinned) as acme_gps',
        '"name": "acme_gps", "module_id": "acme:gps", "version": "1.0.0"',
      ],
    ],
  ])('%s', async (_, args, policy, [answer = '', entry = '', ...stderr]) => {
    const folder = folderWith(MACHINE, { registry: './lists', ...policy });
    expect(await adding(folder, args)).toEqual({ stdout: [answer], stderr, exit: 0 });
    expect(contentOf(folder)).toBe(
      MACHINE.replace(/"acme:own" \}/, `$&,\n    { "type": "registry", ${entry} }`),
    );
    expect(readdirSync(folder).toSorted()).toEqual(['lists', 'machine.json', 'policy.json']);
  });

  it('prints the same as data', async () => {
    const { stdout } = await adding(folderWith(), ['acme:lidar', '--version', '1.*', '--json']);
    expect(JSON.parse(stdout[0] ?? '')).toEqual({
      schema: 'modreg/add@1',
      file: './machine.json',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      version: '1.*',
      selects: '1.2.9',
      platform: 'linux/arm64',
      added: true,
      list: { source: 'folder', fetched_at: '2026-11-21T12:00:00Z', stale: false },
    });
  });

  it('edits machine.json of the current folder by default', () => {
    const folder = folderWith();
    const command = `cd ${folder} && ${ROOT}bin/modreg add acme:lidar --platform linux/arm64`;
    expect(sh(command)).toBe('machine.json: added acme:lidar 1.2.9 (pinned) as acme_lidar\n');
  });

  it('adds the modules that components lack, one after the other', async () => {
    const folder = folderWith(
      JSON.stringify({ components: [component('lidar'), component('arm')] }),
    );
    expect(await adding(folder, ['acme:lidar'])).toEqual({
      stdout: ['./machine.json: added acme:lidar 1.2.9 (pinned) as acme_lidar'],
      stderr: [
        'warning[UNKNOWN_REFERENCE]: ./machine.json:1:112 /components/1/model: no module entry has the module_id acme:arm; add the module that provides this model',
        IGNORED,
      ],
      exit: 0,
    });
    expect(await adding(folder, ['acme:arm'])).toEqual({
      stdout: ['./machine.json: added acme:arm 1.0.0+exp (pinned) as acme_arm'],
      stderr: [],
      exit: 0,
    });
    expect((await inProcess(['check', `${folder}/machine.json`])).exit).toBe(0);
  });
});

describe('[D45] modreg add --dry-run shows the change without making it', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'in a document with lines',
      MACHINE,
      [
        '@@ -11 +11,2 @@',
        '-    { …, …, … }',
        '+    { …, …, … },',
        '+    { "type": "registry", "name": "acme_arm", "module_id": "acme:arm", "version": "1.0.0+exp" }',
      ],
    ],
    [
      'with tabs and CRLF',
      '{\r\n\t"components": []\r\n}\r\n',
      [
        '@@ -2 +2,9 @@',
        '-    … []',
        '+    … [],',
        '+    "modules": [',
        '+        {',
        '+            "type": "registry",',
        '+            "name": "acme_arm",',
        '+            "module_id": "acme:arm",',
        '+            "version": "1.0.0+exp"',
        '+        }',
        '+    ]',
      ],
    ],
    [
      'without a password on the same line',
      '{"modules":[],"agent":{"agent-provisioning":{"attributes":{"hotspot_password":"open, sesame]"}}}}',
      [
        '@@ -1 +1 @@',
        '-{…[],…{…{…{…}}}}',
        '+{…[{"type":"registry","name":"acme_arm","module_id":"acme:arm","version":"1.0.0+exp"}],…{…{…{…}}}}',
      ],
    ],
  ])('%s', async (_, machine, lines) => {
    const folder = folderWith(machine);
    chmodSync(join(folder, 'machine.json'), 0o600);
    expect(await adding(folder, ['acme:arm', '--dry-run'])).toEqual({
      stdout: [
        '--- ./machine.json',
        '+++ ./machine.json',
        ...lines,
        '',
        'nothing was changed; acme:arm 1.0.0+exp (pinned) would be added as acme_arm',
      ],
      stderr: [],
      exit: 0,
    });
    expect(contentOf(folder)).toBe(machine);
  });

  it('as data', async () => {
    const folder = folderWith();
    const { stdout } = await adding(folder, ['acme:arm', '--dry-run', '--json']);
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject({ version: '1.0.0+exp', added: false });
    expect(contentOf(folder)).toBe(MACHINE);
  });
});
