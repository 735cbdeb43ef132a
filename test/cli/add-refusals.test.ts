import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adding, folderWith, IGNORED, MACHINE } from './support/adding.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const ESCAPE = String.fromCodePoint(0x1b);

interface Refused {
  readonly stderr: readonly string[];
  readonly exit: number;
  /** The machine config. */
  readonly machine?: string | Uint8Array;
}

describe('[D45] modreg add changes nothing', () => {
  it.each<[string, readonly string[], Refused]>([
    [
      'if the module has an entry',
      ['acme:base', '--name', 'other'],
      {
        stderr: [
          'error[DUPLICATE_NAME]: ./machine.json:5:5 already has the module entry acme_base of acme:base, version 1.*; nothing was changed',
          'hint: to accept other releases, change its "version"',
        ],
        exit: 1,
      },
    ],
    [
      'if the module has a local entry',
      ['acme:own'],
      {
        stderr: [
          'error[DUPLICATE_NAME]: ./machine.json:11:5 already has the module entry own of acme:own, a local module; nothing was changed',
          'hint: to use releases of a registry, set its "type" to "registry" and its "version" to a constraint',
        ],
        exit: 1,
      },
    ],
    [
      'if another entry has the name',
      ['acme:lidar', '--name', 'own'],
      {
        stderr: [
          'error[DUPLICATE_NAME]: ./machine.json:11:5 has the module entry own of acme:own, a local module, and a name must be unique; nothing was changed',
          'hint: name the new entry with --name',
        ],
        exit: 1,
      },
    ],
    [
      'if the registry does not know the module',
      ['acme:lidr'],
      {
        stderr: [
          'error[UNKNOWN_MODULE]: the folder "./lists" has no module acme:lidr',
          '  did you mean acme:lidar ?',
          'hint: namespace acme has 4 modules: arm, cam, gps, lidar',
        ],
        exit: 3,
      },
    ],
    [
      'if no release can be selected',
      ['acme:cam'],
      {
        stderr: [
          'error[NO_MATCH]: no release of acme:cam matches latest',
          '  because every version that latest covers is refused',
          '  1.0.0-rc.1: prerelease; only latest-with-prerelease accepts prereleases',
          'hint: latest-with-prerelease selects 1.0.0-rc.1',
        ],
        exit: 1,
      },
    ],
    [
      'if no release is for the platform',
      ['acme:gps'],
      {
        stderr: [
          'error[NO_MATCH]: no release of acme:gps matches latest',
          '  because every version that latest covers is refused',
          '  1.0.0: no artifact for linux/arm64; published for linux/amd64',
        ],
        exit: 1,
      },
    ],
    [
      'if a machine would refuse the file of the release',
      ['acme:gps', '--platform', 'linux/amd64'],
      {
        stderr: [
          'error[NO_MATCH]: no release of acme:gps matches latest',
          '  because every version that latest covers is refused',
          '  1.0.0: untrusted artifact: its file has no digest',
        ],
        exit: 1,
      },
    ],
    [
      'in a document whose components depend on others that it lacks',
      ['acme:lidar'],
      {
        stderr: [
          'error[BAD_VALUE]: the machine config ./machine.json has 1 error',
          '  because 1:88 UNKNOWN_REFERENCE /components/0/depends_on/0: no component is named b',
          'hint: modreg check ./machine.json --as machine shows them all',
        ],
        exit: 1,
        machine:
          '{"components":[{"name":"a","model":"fake","type":"arm","namespace":"rdk","depends_on":["b"]}]}',
      },
    ],
    [
      'if the pin is not published',
      ['acme:lidar', '--version', '1.2.7'],
      {
        stderr: [
          'error[PIN_NOT_PUBLISHED]: acme:lidar 1.2.7 is not published',
          '  because the nearest published versions are 1.1.0 and 1.2.8',
          'hint: 1.2.* selects 1.2.9; latest selects 1.2.9',
          IGNORED,
        ],
        exit: 1,
      },
    ],
    [
      'for arguments that are not what they should be',
      ['acme', '--version', '1.x', '--platform', 'x', '--name', `a/${ESCAPE}[2J`],
      {
        stderr: [
          'error[BAD_MODULE_ID]: "acme" is not a module id',
          '  acme',
          '      ^ expected a letter, a digit, "_", "-" or ":", as in <namespace>:<name>',
          'error[BAD_CONSTRAINT]: "1.x" is not a version constraint',
          '  1.x',
          '    ^ expected a number or *',
          '  did you mean 1.* ?',
          'accepted: X.Y.Z   X.Y.*   X.*   latest   latest-with-prerelease',
          'error[BAD_PLATFORM]: "x" is not a platform',
          '  x',
          '  ^ expected linux/amd64 or linux/arm64',
          String.raw`error[USAGE]: --name is "a/\u{1b}[2J", which is not a name: "/" at character 2 is not allowed`,
        ],
        exit: 2,
      },
    ],
    [
      'in a document with errors',
      ['acme:lidar'],
      {
        stderr: [
          'error[BAD_VALUE]: the machine config ./machine.json has 1 error',
          '  because 1:59 BAD_JSON: trailing comma before "]"',
          'hint: modreg check ./machine.json --as machine shows them all',
        ],
        exit: 1,
        machine: '{"modules": [,]}'.replace('[', '[{"type":"local","name":"x","module_id":"a:b"}'),
      },
    ],
    [
      'in a document with a key twice',
      ['acme:lidar'],
      {
        stderr: [
          'error[BAD_VALUE]: the machine config ./machine.json has 1 error',
          '  because 1:16 DUPLICATE_KEY /modules: this key appears twice; see 1:2',
          'hint: modreg check ./machine.json --as machine shows them all',
        ],
        exit: 1,
        machine: '{"modules":[], "modules":[]}',
      },
    ],
    [
      'in a document with a byte order mark',
      ['acme:lidar'],
      {
        stderr: [
          'error[BAD_VALUE]: the machine config ./machine.json has 1 error',
          '  because 1:1 BAD_JSON: the document begins with a byte order mark, expected plain UTF-8',
          'hint: modreg check ./machine.json --as machine shows them all',
        ],
        exit: 1,
        machine: `\ufeff${MACHINE}`,
      },
    ],
    [
      'in a document that is no JSON',
      ['acme:lidar'],
      {
        stderr: [
          'error[BAD_VALUE]: the machine config ./machine.json has 1 error',
          '  because 1:1 BAD_JSON: bytes that are not UTF-8',
          'hint: modreg check ./machine.json --as machine shows them all',
        ],
        exit: 1,
        machine: new Uint8Array([0x80, 0x81]),
      },
    ],
    [
      'in a document that is as large as it may be',
      ['acme:arm'],
      {
        stderr: [
          'error[BAD_VALUE]: with this module, the machine config ./machine.json has 1 error',
          '  because 1:1 TOO_LARGE: larger than the limit of 4194304 bytes',
        ],
        exit: 1,
        machine: `{"modules":[]}${' '.repeat(4_194_304 - 14)}`,
      },
    ],
  ])('%s', async (_, args, { stderr, exit, machine = MACHINE }) => {
    const folder = folderWith(machine);
    expect(await adding(folder, args)).toEqual({ stdout: [], stderr, exit });
    expect(readFileSync(join(folder, 'machine.json'))).toEqual(Buffer.from(machine));
  });

  it('without a registry', async () => {
    const { stderr, exit } = await adding(folderWith(MACHINE, {}), ['acme:lidar']);
    expect([stderr[0], exit]).toEqual(['error[NO_REGISTRY]: no registry is named', 2]);
  });

  it.each([
    ['machine.json', 'the file "./machine.json" does not exist'],
    ['.', 'the file "./." cannot be read (not a regular file)'],
    ['-', '- is stdin, which cannot be edited: name a file'],
  ])('if the machine config is %s', async (path, message) => {
    const folder = temporaryFolder();
    const file = path === '-' ? path : `${folder}/${path}`;
    const { stderr, exit } = await printed(['add', 'acme:lidar', file]);
    expect([stderr[0]?.replace(/^error\[\w+\]: /, '').replaceAll(folder, '.'), exit]).toEqual([
      message,
      2,
    ]);
  });
});
