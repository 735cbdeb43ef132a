import { describe } from 'vitest';
import type { Eligibility, ReleaseRecord } from '../../../src/core/index.ts';
import { DAY, NOW, aged, built, decides, on } from '../../support/decides.ts';
import { trusting } from '../../support/trusting.ts';

const arm = (version: string, digest?: string): ReleaseRecord => ({
  version,
  artifacts: [
    { platform: 'linux/arm64', digest },
    { platform: 'linux/amd64', digest: 'sha256:ff' },
  ],
});
const quarantining = (...quarantine: NonNullable<Eligibility['quarantine']>): Eligibility => ({
  now: NOW,
  platform: 'linux/arm64',
  quarantine,
});

describe('[D12] minimum age', () => {
  const eligibility = { now: NOW, minimumAge: { ms: 7 * DAY, unknown: 'refuse' } } as const;
  const allowing = { now: NOW, minimumAge: { ms: 7 * DAY, unknown: 'allow' } } as const;
  decides([
    {
      case: 'a release below the minimum age is refused, one of exactly that age is not',
      constraint: 'latest',
      list: [aged('1.1.0', 6.99), aged('1.0.0', 7), aged('0.9.0', 8)],
      eligibility,
      chosen: '1.0.0',
      refused: ['1.1.0: too-young', '0.9.0: older'],
    },
    {
      case: 'a publish time in the future counts as age 0',
      constraint: 'latest',
      list: [aged('1.1.0', -30), aged('1.0.0', 7)],
      eligibility,
      chosen: '1.0.0',
      refused: ['1.1.0: too-young'],
    },
    {
      case: 'a minimum age of 0 accepts a publish time in the future',
      constraint: 'latest',
      list: [aged('1.1.0', -30), aged('1.0.0', 7)],
      eligibility: { now: NOW, minimumAge: { ms: 0, unknown: 'refuse' } },
      chosen: '1.1.0',
      refused: ['1.0.0: older'],
    },
    {
      case: 'a release without a publish time is refused',
      constraint: 'latest',
      list: ['1.1.0', aged('1.0.0', 7)],
      eligibility,
      chosen: '1.0.0',
      refused: ['1.1.0: unknown-age'],
    },
    {
      case: 'a release without a publish time is selected if the policy allows it',
      constraint: 'latest',
      list: ['1.1.0', aged('1.0.0', 7)],
      eligibility: allowing,
      chosen: '1.1.0',
      refused: ['1.0.0: older'],
    },
    {
      case: 'a publish time that a `Date` cannot represent counts as unknown',
      constraint: 'latest',
      list: [
        { version: '1.1.0', publishedAt: Number.NaN },
        { version: '1.0.0', publishedAt: -Infinity },
      ],
      eligibility,
      chosen: undefined,
      refused: ['1.1.0: unknown-age', '1.0.0: unknown-age'],
    },
    {
      case: 'a `notAfter` of NaN refuses every release with a publish time',
      constraint: 'latest',
      list: [aged('1.0.0', 7)],
      eligibility: { now: NOW, notAfter: Number.NaN },
      chosen: undefined,
      refused: ['1.0.0: not-yet-published'],
    },
    {
      case: 'does not apply to pins',
      constraint: '1.1.0',
      list: [aged('1.1.0', 0), aged('1.0.0', 7)],
      eligibility,
      chosen: '1.1.0',
      refused: ['1.0.0: other-version'],
    },
    {
      case: 'releases after `notAfter` are refused, even for a pin',
      constraint: '1.1.0',
      list: [aged('1.1.0', 1), aged('1.0.0', 7)],
      eligibility: { now: NOW - 2 * DAY, notAfter: NOW - 2 * DAY },
      chosen: undefined,
      refused: ['1.1.0: not-yet-published', '1.0.0: other-version'],
    },
    {
      case: 'with `notAfter`, a release without a publish time is not refused',
      constraint: 'latest',
      list: [aged('1.2.0', 1), '1.1.0', aged('1.0.0', 2)],
      eligibility: { now: NOW - 2 * DAY, notAfter: NOW - 2 * DAY },
      chosen: '1.1.0',
      refused: ['1.2.0: not-yet-published', '1.0.0: older'],
    },
  ]);
});

describe('[D13] quarantine', () => {
  decides([
    {
      case: 'refuses exactly the quarantined build, not other versions',
      constraint: '1.*',
      list: ['1.1.0', '1.1.0+b', '1.0.0'],
      eligibility: quarantining({ version: '1.1.0+b' }),
      chosen: '1.1.0',
      refused: ['1.1.0+b: quarantined', '1.0.0: older'],
    },
    {
      case: 'refuses a pin too',
      constraint: '1.1.0',
      list: ['1.1.0', '1.0.0'],
      eligibility: quarantining({ version: '1.1.0' }),
      chosen: undefined,
      refused: ['1.1.0: quarantined', '1.0.0: other-version'],
    },
    {
      case: 'lasts until the millisecond before its end',
      constraint: '1.*',
      list: ['1.2.0', '1.1.0', '1.0.0'],
      eligibility: quarantining(
        { version: '1.2.0', until: NOW + 1 },
        { version: '1.1.0', until: NOW },
      ),
      chosen: '1.1.0',
      refused: ['1.2.0: quarantined', '1.0.0: older'],
    },
    {
      case: "lasts while this platform's digest is the one that failed",
      constraint: '1.*',
      list: [arm('1.1.0', 'sha256:aa'), arm('1.0.0')],
      eligibility: quarantining({ version: '1.1.0', digest: 'sha256:aa' }),
      chosen: '1.0.0',
      refused: ['1.1.0: quarantined'],
    },
    {
      case: 'ends when the digest changes',
      constraint: '1.*',
      list: [arm('1.1.0', 'sha256:bb'), arm('1.0.0')],
      eligibility: quarantining({ version: '1.1.0', digest: 'sha256:aa' }),
      chosen: '1.1.0',
      refused: ['1.0.0: older'],
    },
    {
      case: 'does not end when the digest is missing or of another kind',
      constraint: '1.*',
      list: [arm('1.3.0', 'sha512:bb'), arm('1.2.0'), '1.1.0', arm('1.0.0')],
      eligibility: quarantining(
        { version: '1.3.0', digest: 'sha256:aa' },
        { version: '1.2.0', digest: 'sha256:aa' },
        { version: '1.1.0', digest: 'sha256:aa' },
      ),
      chosen: '1.0.0',
      refused: ['1.3.0: quarantined', '1.2.0: quarantined', '1.1.0: quarantined'],
    },
    {
      case: 'the reason quarantined precedes too-young',
      constraint: '1.*',
      list: [aged('1.1.0', 1)],
      eligibility: {
        now: NOW,
        quarantine: [{ version: '1.1.0' }],
        minimumAge: { ms: 7 * DAY, unknown: 'refuse' },
      },
      chosen: undefined,
      refused: ['1.1.0: quarantined'],
    },
  ]);
});

describe('[D22] a known digest changed', () => {
  const change = { platform: 'linux/amd64', first: 'sha256:aa', now: 'sha256:bb' };
  const changed = (...versions: string[]): Eligibility => ({
    ...on('linux/amd64'),
    changedDigests: new Map(versions.map((version) => [version, change])),
  });
  decides([
    {
      case: 'only that release is refused',
      constraint: '1.*',
      list: ['1.2.0', '1.1.0', '1.0.0'],
      eligibility: changed('1.2.0'),
      chosen: '1.1.0',
      refused: ['1.2.0: digest-changed', '1.0.0: older'],
    },
    {
      case: 'another build of the version is not refused',
      constraint: '1.2.*',
      list: ['1.2.0+a', '1.2.0+b'],
      eligibility: changed('1.2.0+b'),
      chosen: '1.2.0+a',
      refused: ['1.2.0+b: digest-changed'],
    },
    {
      case: 'a pin is refused too',
      constraint: '1.2.0',
      list: ['1.2.0', '1.0.0'],
      eligibility: changed('1.2.0'),
      chosen: undefined,
      refused: ['1.2.0: digest-changed', '1.0.0: other-version'],
    },
    {
      case: 'the reason follows no-artifact and precedes quarantined',
      constraint: '1.*',
      list: [built('1.2.0'), '1.1.0'],
      eligibility: { ...changed('1.2.0', '1.1.0'), quarantine: [{ version: '1.1.0' }] },
      chosen: undefined,
      refused: ['1.2.0: no-artifact', '1.1.0: digest-changed'],
    },
    {
      case: 'D197 where authors sign, only what too few of them signed is refused',
      constraint: '1.*',
      list: ['1.2.0', '1.1.0', '1.0.0'],
      eligibility: { ...changed('1.2.0', '1.1.0'), trust: trusting('1.1.0', '1.0.0') },
      chosen: '1.1.0',
      refused: ['1.2.0: digest-changed', '1.0.0: older'],
    },
  ]);
});
