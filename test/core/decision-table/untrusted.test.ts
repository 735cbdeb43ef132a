import { describe } from 'vitest';
import type { Artifact } from '../../../src/core/index.ts';
import { decidesOn } from '../../support/decided.ts';
import { decides, NOW, on } from '../../support/decides.ts';

const SHA256 = `sha256:${'0a'.repeat(32)}`;
const SHA512 = `sha512:${'0A'.repeat(64)}`;
const HTTPS = 'https://files.example/lidar.tar';

function file(url: string | undefined, digest: string | undefined, platform = 'any'): Artifact {
  return { platform, url, digest };
}

function refusedFor(complaint: string): string {
  return `stuck untrusted-artifact: the pin is published but refused: untrusted artifact: ${complaint}`;
}

const UPGRADE = 'upgrade to 1.2.4: pinned';

/** A pin, so that the refusal is the decision. */
function pinned(
  artifacts: readonly Artifact[],
  expected: string,
  rules: { readonly requireDigest?: boolean; readonly allowHttp?: readonly string[] } = {},
): Parameters<typeof decidesOn>[0][number] {
  const artifactRules = { requireDigest: true, allowHttp: [], ...rules };
  return {
    case: `D36 ${artifacts.map(({ url, digest }) => `${url} ${digest}`).join(', ')} ${JSON.stringify(rules)}`,
    wanted: '1.2.4',
    deployed: '1.2.3',
    list: [{ version: '1.2.4', artifacts }],
    eligibility: { artifactRules },
    expected,
  };
}

describe('[D36] a machine downloads from an address that it may contact, and compares a digest', () => {
  decidesOn([
    pinned([file(HTTPS, SHA256)], UPGRADE),
    pinned([file(HTTPS, SHA512)], UPGRADE),
    pinned([file('http://127.0.0.1:8080/a', SHA256)], UPGRADE),
    pinned([file('http://files.example/a', SHA256)], UPGRADE, { allowHttp: ['files.example'] }),
    pinned([file(undefined, undefined)], UPGRADE),
    pinned([file(undefined, 'sha1:00')], UPGRADE),
    pinned([file(HTTPS, undefined)], UPGRADE, { requireDigest: false }),
    pinned([file(HTTPS, 'sha1:00')], UPGRADE, { requireDigest: false }),
    pinned([file(HTTPS, undefined)], refusedFor('its file has no digest')),
    ...['sha1:00', 'sha256:0a', `sha256:${'0a'.repeat(31)}0g`, `sha512:${'0a'.repeat(32)}`].map(
      (digest) =>
        pinned(
          [file(HTTPS, digest)],
          refusedFor(`its digest is ${digest}, not a complete sha256 or sha512`),
        ),
    ),
    pinned(
      [file('file:///etc/shadow', undefined)],
      refusedFor('its address: "file:" is not https: or http:'),
    ),
    pinned(
      [file('file:///etc/shadow', SHA256)],
      refusedFor('its address: "file:" is not https: or http:'),
      { requireDigest: false },
    ),
    pinned(
      [file('http://169.254.169.254/latest', 'sha1:00')],
      refusedFor('its address: 169.254.169.254 is a link-local address'),
      { allowHttp: ['169.254.169.254'] },
    ),
    pinned(
      [file('http://files.example/a', SHA256)],
      refusedFor('its address is http: to files.example, which allow_http does not name'),
    ),
    pinned([file('lidar.tar', SHA256)], refusedFor('its address: expected https:// and a host')),
    // Only the file that is installed on this platform counts.
    pinned([file(HTTPS, SHA256, 'linux/arm64'), file('file:///a', undefined)], UPGRADE),
    pinned([file(HTTPS, SHA256), file('file:///a', undefined, 'linux/amd64')], UPGRADE),
    {
      case: 'D36 a floating constraint selects the next lower release, and names the refused one',
      wanted: '1.2.*',
      deployed: '1.2.2',
      list: [{ version: '1.2.4', artifacts: [file(HTTPS, undefined)] }, '1.2.3'],
      eligibility: { artifactRules: { requireDigest: true, allowHttp: [] } },
      expected:
        'upgrade to 1.2.3: newest patch of 1.2 that may be selected; 1.2.4 has an untrusted artifact: its file has no digest',
    },
  ]);
  decides([
    {
      case: 'D36 without rules, as for a list that is not for a machine, nothing is refused',
      constraint: '1.2.*',
      list: [{ version: '1.2.4', artifacts: [file('file:///a', undefined)] }],
      eligibility: on('linux/arm64'),
      chosen: '1.2.4',
      refused: [],
    },
    {
      case: 'D36 follows no-artifact and precedes quarantined in the order of reasons',
      constraint: '1.2.*',
      list: [
        { version: '1.2.5', artifacts: [file('file:///a', undefined, 'linux/amd64')] },
        { version: '1.2.4', artifacts: [file('file:///a', undefined)] },
      ],
      eligibility: {
        now: NOW,
        platform: 'linux/arm64',
        artifactRules: { requireDigest: true, allowHttp: [] },
        quarantine: [{ version: '1.2.4' }, { version: '1.2.5' }],
      },
      chosen: undefined,
      refused: ['1.2.5: no-artifact', '1.2.4: untrusted-artifact'],
    },
  ]);
});
