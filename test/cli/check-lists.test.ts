import { describe, expect, it } from 'vitest';
import { entry } from '../support/planned.ts';
import type { Site } from '../support/site.ts';
import { checked, machineWith } from './support/checked-site.ts';

/** What was found: severity, code, place, message and hint. */
async function findingsOf(of: Site): Promise<readonly string[]> {
  const { stdout } = await checked(of, '--json');
  const { problems } = JSON.parse(stdout) as {
    readonly problems: readonly Readonly<Record<string, string | null>>[];
  };
  return problems.map(({ severity, code, path, message, hint }) =>
    [`${severity} ${code} ${path}: ${message}`, ...(hint === null ? [] : [hint ?? ''])].join(' | '),
  );
}

/** A time so many days before now. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

const BASE = ['1.0.0', '2.3.0'];
const NEEDS_BASE = { version: '1.1.0', requires: { 'acme:base': ['2.*'] } };

describe('modreg check --registry', () => {
  it('adds what the lists show to what the document shows, at its place', async () => {
    const machine = machineWith(entry('acme:lidar', '1.3.*'), {
      ...entry('acme:cam', '1.*'),
      evn: {},
    });
    expect(
      await checked({ machine, lists: { 'acme/lidar': ['1.2.9'], 'acme/cam': ['1.0.0'] } }),
    ).toEqual({
      stdout: [
        '/machine.json:1:274  error[NO_MATCH]         /modules/0/version: no release of acme:lidar matches 1.3.*: 1.3.* needs 1.3.0 ≤ version < 1.4.0, and the newest release is 1.2.9; latest selects 1.2.9; latest-with-prerelease selects 1.2.9',
        '/machine.json:1:359  warning[UNKNOWN_FIELD]  /modules/1/evn: unknown field; did you mean env ?',
        '1 error, 1 warning; 2 modules read; checked against /policy.json; checked against 2 of 2 release lists',
        '',
      ].join('\n'),
      stderr: '',
      exit: 1,
    });
  });

  it.each<[string, Site, readonly string[]]>([
    [
      '[D115] each release of the branch is refused for good',
      {
        machine: machineWith(entry('acme:lidar', '1.2.*')),
        policy: { refuse: { 'acme:lidar': [{ versions: '1.2.8', reason: 'too loud' }] } },
        lists: {
          'acme/lidar': [
            '1.2.8',
            { version: '1.2.9', artifacts: [{ platform: 'linux/amd64' }] },
            '1.3.0',
          ],
        },
      },
      [
        'error NO_MATCH /modules/0/version: no release of acme:lidar matches 1.2.*: every version that 1.2.* covers is refused; 1.2.9: no artifact for linux/arm64; published for linux/amd64; 1.2.8: refused by the policy of the site: 1.2.8 (too loud) | latest selects 1.3.0; latest-with-prerelease selects 1.3.0',
      ],
    ],
    [
      '[D116] a pin that is not published',
      {
        machine: machineWith(entry('acme:lidar', '1.2.3')),
        lists: { 'acme/lidar': ['1.2.2', '1.2.4'] },
      },
      [
        'error PIN_NOT_PUBLISHED /modules/0/version: acme:lidar 1.2.3 is not published: the nearest published versions are 1.2.2 and 1.2.4 | 1.2.* selects 1.2.4; latest selects 1.2.4',
      ],
    ],
    [
      '[D116] a pin that is yanked and deprecated',
      {
        machine: machineWith(entry('acme:lidar', '1.2.3')),
        lists: {
          'acme/lidar': [
            { version: '1.2.3', yanked: 'stops the motor', deprecated: 'use 2' },
            '1.2.4',
          ],
        },
      },
      [
        'warning YANKED /modules/0/version: the pinned acme:lidar 1.2.3 is yanked: stops the motor | 1.2.* selects 1.2.4; latest selects 1.2.4',
        'warning DEPRECATED /modules/0/version: the pinned acme:lidar 1.2.3 is deprecated: use 2 | 1.2.* selects 1.2.4; latest selects 1.2.4',
      ],
    ],
    [
      '[D116] a pin that the site refuses',
      {
        machine: machineWith(entry('acme:lidar', '1.2.3')),
        policy: { refuse: { '*': ['1.2.*'] } },
        lists: { 'acme/lidar': ['1.2.3', '1.3.0'] },
      },
      [
        'error REFUSED_BY_SITE /modules/0/version: acme:lidar 1.2.3 is published but refused: refused by the policy of the site: 1.2.* | latest selects 1.3.0',
      ],
    ],
    [
      '[D117] a branch whose newest release lacks the platform',
      {
        machine: machineWith(entry('acme:lidar', '1.*')),
        lists: {
          'acme/lidar': [
            '1.2.9',
            {
              version: '1.3.0',
              published_at: daysAgo(2),
              artifacts: [{ platform: 'linux/amd64' }],
            },
          ],
        },
      },
      [
        'warning PLATFORM_MISSING /modules/0/version: 1.3.0, the newest release of acme:lidar for 1.*, has no file for linux/arm64; it was published 2 d ago for linux/amd64 | publish its file for linux/arm64; until then this machine gets at most 1.2.9',
      ],
    ],
    [
      '[D117] 0.*',
      {
        machine: machineWith(entry('acme:lidar', '0.*')),
        lists: { 'acme/lidar': ['0.4.0', '0.5.1'] },
      },
      [
        'warning ZERO_MAJOR /modules/0/version: 0.* accepts each new minor version of acme:lidar, and before 1.0.0 a minor version may break what the last one did | 0.5.* stays with one minor version',
      ],
    ],
    [
      '[D118] what nothing on the machine will meet',
      {
        machine: machineWith(entry('acme:arm', '1.*'), entry('acme:base', '1.*')),
        lists: { 'acme/arm': ['1.0.0', NEEDS_BASE], 'acme/base': BASE },
      },
      [
        'warning REQUIREMENT_UNREACHABLE /modules/0/version: acme:arm 1.1.0 requires acme:base 2.*, which nothing on this machine will meet | 2.3.0 does, so let the version of acme_base be 2.*',
      ],
    ],
    [
      '[D118] and no other release is there',
      {
        machine: machineWith(entry('acme:arm', '1.1.0'), entry('acme:base', 'latest')),
        lists: {
          'acme/arm': ['1.0.0', NEEDS_BASE],
          'acme/base': ['1.0.0', { version: '2.3.0', artifacts: [{ platform: 'linux/amd64' }] }],
        },
      },
      [
        'error REQUIREMENT_UNMET /modules/0/version: no release of acme:arm may be selected: 1.1.0 requires acme:base 2.*, which nothing on this machine will meet | 2.3.0 of acme:base would, but this machine refuses it (no artifact for linux/arm64; published for linux/amd64)',
      ],
    ],
    [
      '[D118] a cycle, of which one entry has nothing else',
      {
        machine: machineWith(entry('acme:base', 'latest'), entry('acme:arm', 'latest', 'left')),
        lists: {
          'acme/arm': [NEEDS_BASE],
          'acme/base': ['1.0.0', { version: '2.0.0', requires: { 'acme:arm': ['>=1.1'] } }],
        },
      },
      [
        'error CYCLE /modules/1/version: acme:arm 1.1.0 (left) requires acme:base 2.*, and acme:base 2.0.0 requires acme:arm >=1.1: neither can be the first; see 1:271 | a release of one of them is needed that does not require another of them in turn',
      ],
    ],
    [
      '[D118] a cycle of three, each with something else',
      {
        machine: machineWith(
          entry('acme:a', 'latest'),
          entry('acme:b', 'latest'),
          entry('acme:c', 'latest'),
        ),
        lists: {
          'acme/a': ['1.0.0', { version: '2.0.0', requires: { 'acme:b': ['2'] } }],
          'acme/b': ['1.0.0', { version: '2.0.0', requires: { 'acme:c': ['2'] } }],
          'acme/c': ['1.0.0', { version: '2.0.0', requires: { 'acme:a': ['2'] } }],
        },
      },
      [
        'warning REQUIRES_CYCLE /modules/0/version: acme:a 2.0.0 requires acme:b 2, and acme:b 2.0.0 requires acme:c 2, and acme:c 2.0.0 requires acme:a 2: none can be the first; see 1:419 | a release of one of them is needed that does not require another of them in turn',
      ],
    ],
    [
      '[D119] two entries of which only one can fit',
      {
        machine: machineWith(
          entry('acme:base', '1.*', 'one'),
          entry('acme:base', '2.*', 'two'),
          entry('acme:arm', 'latest'),
        ),
        lists: { 'acme/arm': ['1.0.0', NEEDS_BASE], 'acme/base': BASE },
      },
      [
        'warning EXCLUDING_ENTRIES /modules/0/version: acme:arm 1.1.0 requires acme:base 2.* of every entry of acme:base: 1.* accepts no such release, while two has one; see 1:338 | give both entries a version in this range, or remove one of them',
        'warning CONFLICTING_CONSTRAINTS /modules/1/module_id: another entry has this module_id; each is resolved separately; see 1:243',
      ],
    ],
    [
      '[D119] two entries whose releases require what no version is',
      {
        machine: machineWith(
          entry('acme:arm', '1.1.0', 'one'),
          entry('acme:arm', '1.0.0', 'two'),
          entry('acme:base', 'latest'),
        ),
        lists: {
          'acme/arm': [{ version: '1.0.0', requires: { 'acme:base': ['1.*'] } }, NEEDS_BASE],
          'acme/base': BASE,
        },
      },
      [
        'warning CONFLICTING_CONSTRAINTS /modules/1/module_id: another entry has this module_id; each is resolved separately; see 1:243',
        'warning EXCLUDING_ENTRIES /modules/1/version: acme:arm 1.0.0 (two) requires acme:base 1.*, and acme:arm 1.1.0 (one) requires acme:base 2.*: no version that this machine may get is in both ranges; see 1:264 | change the version of one of the two entries',
      ],
    ],
    [
      '[T435] a list that the registry does not have',
      { machine: machineWith(entry('acme:lidra', '1.2.3')), lists: { 'acme/lidar': ['1.2.3'] } },
      [
        'error UNKNOWN_MODULE /modules/0/module_id: the folder "/lists" has no module acme:lidra; it is not checked against a list | namespace acme has 1 module: lidar',
      ],
    ],
    [
      'a machine with nothing to find',
      {
        machine: machineWith(entry('acme:arm', '1.*'), entry('acme:base', 'latest')),
        lists: { 'acme/arm': ['1.0.0', NEEDS_BASE], 'acme/base': BASE },
      },
      [],
    ],
  ])('%s', async (_title, of, expected) => {
    expect(await findingsOf(of)).toEqual(expected);
  });
});
