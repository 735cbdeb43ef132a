import { expect, it } from 'vitest';
import type { Eligibility } from '../../../src/core/index.ts';
import { complaintOf } from '../../../src/core/explanation/complaint.ts';
import { textOf } from '../../../src/core/text/time-words.ts';
import { ask, type Published } from '../../support/ask.ts';

interface Row {
  readonly case: string;
  readonly constraint: string;
  readonly list: readonly Published[];
  readonly eligibility?: Eligibility;
  readonly complaint: {
    readonly kind: string;
    readonly message: string;
    readonly because: readonly string[];
    readonly unnamed?: number;
    readonly hint: string | undefined;
  };
}

const ROWS: readonly Row[] = [
  {
    case: 'no version in the branch: names the newest release',
    constraint: '3.*',
    list: ['2.0.1', '2.1.0-rc.1', '1.0.0'],
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches 3.*',
      because: ['3.* needs 3.0.0 ≤ version < 4.0.0, and the newest release is 2.0.1'],
      hint: 'latest selects 2.0.1; latest-with-prerelease selects 2.1.0-rc.1',
    },
  },
  {
    case: 'no version in a branch of patches: names the newest release',
    constraint: '3.1.*',
    list: ['2.0.1'],
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches 3.1.*',
      because: ['3.1.* needs 3.1.0 ≤ version < 3.2.0, and the newest release is 2.0.1'],
      hint: 'latest selects 2.0.1; latest-with-prerelease selects 2.0.1',
    },
  },
  {
    case: 'with `notAfter`, a release of that time is the nearest one to a pin',
    constraint: '3.0.0',
    list: [{ version: '2.0.0', publishedAt: 15 }],
    eligibility: { now: 15, notAfter: 15 },
    complaint: {
      kind: 'pin-not-published',
      message: 'acme:lidar 3.0.0 is not published',
      because: ['the nearest published version is 2.0.0'],
      hint: 'latest selects 2.0.0',
    },
  },
  {
    case: 'with `notAfter`, no version is published near a pin',
    constraint: '3.0.0',
    list: [{ version: '2.0.0', publishedAt: 16 }],
    eligibility: { now: 15, notAfter: 15 },
    complaint: {
      kind: 'pin-not-published',
      message: 'acme:lidar 3.0.0 is not published',
      because: ['no release matches latest either'],
      hint: undefined,
    },
  },
  {
    case: 'only a prerelease in the branch: names it and why it is refused',
    constraint: '3.1.*',
    list: ['2.0.1', '3.1.0-beta.2'],
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches 3.1.*',
      because: [
        'every version that 3.1.* covers is refused',
        '3.1.0-beta.2: prerelease; only latest-with-prerelease accepts prereleases',
      ],
      hint: 'latest selects 2.0.1; latest-with-prerelease selects 3.1.0-beta.2',
    },
  },
  {
    case: '[D5] latest, and only prereleases are listed',
    constraint: 'latest',
    list: ['1.0.0-rc.1', '1.0.0-rc.2'],
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches latest',
      because: [
        'every version that latest covers is refused',
        '1.0.0-rc.2: prerelease; only latest-with-prerelease accepts prereleases',
        '1.0.0-rc.1: prerelease; only latest-with-prerelease accepts prereleases',
      ],
      hint: 'latest-with-prerelease selects 1.0.0-rc.2',
    },
  },
  {
    case: 'only prereleases are listed, none in the branch',
    constraint: '2.*',
    list: ['1.0.0-rc.1'],
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches 2.*',
      because: ['2.* needs 2.0.0 ≤ version < 3.0.0, and no release matches latest either'],
      hint: 'latest-with-prerelease selects 1.0.0-rc.1',
    },
  },
  {
    case: 'with `notAfter`, a later release is not named as the newest',
    constraint: '3.*',
    list: [
      { version: '2.0.0', publishedAt: 20 },
      { version: '1.0.0', publishedAt: 10 },
    ],
    eligibility: { now: 15, notAfter: 15 },
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches 3.*',
      because: ['3.* needs 3.0.0 ≤ version < 4.0.0, and the newest release is 1.0.0'],
      hint: 'latest selects 1.0.0; latest-with-prerelease selects 1.0.0',
    },
  },
  {
    case: 'with `notAfter`, a pin that was published later',
    constraint: '2.0.0',
    list: [{ version: '2.0.0', publishedAt: 20_000 }, '1.0.0'],
    eligibility: { now: 15_000, notAfter: 15_000 },
    complaint: {
      kind: 'not-yet-published',
      message: 'acme:lidar 2.0.0 is not yet published: its publish time is 1970-01-01T00:00:20Z',
      because: [],
      hint: 'latest selects 1.0.0',
    },
  },
  {
    case: 'with `notAfter`, later versions are not named as the nearest',
    constraint: '1.5.0',
    list: [{ version: '2.0.0', publishedAt: 20_000 }, '1.0.0'],
    eligibility: { now: 15_000, notAfter: 15_000 },
    complaint: {
      kind: 'pin-not-published',
      message: 'acme:lidar 1.5.0 is not published',
      because: ['the nearest published version is 1.0.0'],
      hint: 'latest selects 1.0.0',
    },
  },
  {
    case: 'more than three refusals: three are named and the rest is counted',
    constraint: '1.*',
    list: ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0'].map((version) => ({
      version,
      yanked: 'no',
    })),
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches 1.*',
      because: [
        'every version that 1.* covers is refused',
        '1.4.0: yanked: no',
        '1.3.0: yanked: no',
        '1.2.0: yanked: no',
      ],
      unnamed: 2,
      hint: undefined,
    },
  },
  {
    case: 'an empty list',
    constraint: 'latest',
    list: [],
    complaint: {
      kind: 'no-match',
      message: 'no release of acme:lidar matches latest',
      because: ['the list is empty'],
      hint: undefined,
    },
  },
  {
    case: 'no entry is a version',
    constraint: '1.2.3',
    list: ['v1', 'v2'],
    complaint: {
      kind: 'pin-not-published',
      message: 'acme:lidar 1.2.3 is not published',
      because: ['none of the 2 entries is a version'],
      hint: undefined,
    },
  },
  {
    case: '[D20] a pin that is not published, between two published versions',
    constraint: '1.2.4',
    list: ['1.2.3', '1.2.5', '2.0.0'],
    complaint: {
      kind: 'pin-not-published',
      message: 'acme:lidar 1.2.4 is not published',
      because: ['the nearest published versions are 1.2.3 and 1.2.5'],
      hint: '1.2.* selects 1.2.5; latest selects 2.0.0',
    },
  },
  {
    case: '[D20] a pin above all published versions',
    constraint: '3.0.0',
    list: ['1.2.3'],
    complaint: {
      kind: 'pin-not-published',
      message: 'acme:lidar 3.0.0 is not published',
      because: ['the nearest published version is 1.2.3'],
      hint: 'latest selects 1.2.3',
    },
  },
  {
    case: '[D30] a pin that is published but refused',
    constraint: '1.2.4',
    list: ['1.2.3', { version: '1.2.4', artifacts: [{ platform: 'linux/amd64' }] }],
    eligibility: { now: 0, platform: 'linux/arm64' },
    complaint: {
      kind: 'no-artifact',
      message:
        'acme:lidar 1.2.4 is published but refused: no artifact for linux/arm64; published for linux/amd64',
      because: [],
      hint: '1.2.* selects 1.2.3; latest selects 1.2.3',
    },
  },
  {
    case: '[D30] a pin in quarantine',
    constraint: '1.2.4',
    list: ['1.2.4', '1.2.4+b'],
    eligibility: { now: 0, quarantine: [{ version: '1.2.4', until: 1000 }] },
    complaint: {
      kind: 'quarantined',
      message:
        'acme:lidar 1.2.4 is published but refused: quarantined on this machine until 1970-01-01T00:00:01Z',
      because: [],
      hint: '1.2.* selects 1.2.4+b; latest selects 1.2.4+b',
    },
  },
];

it.each(ROWS.map((row) => [row.case, row] as const))(
  '%s',
  (_title, { constraint, list, eligibility, complaint }) => {
    const resolution = ask(constraint, list, eligibility);
    if (resolution.kind !== 'unsatisfied') throw new Error('expected an unsatisfied resolution');
    const { message, because, ...found } = complaintOf(resolution, 'acme:lidar');
    const texts = { message: textOf(message), because: because.map((line) => textOf(line)) };
    expect({ ...found, ...texts }).toEqual({ unnamed: 0, ...complaint });
  },
);
