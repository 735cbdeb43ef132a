import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { THIS_MACHINE } from '../../../src/agent/system/host.ts';
import { hotspotProfile, networkProfile } from '../../../src/agent/system/keyfile.ts';
import { secret } from '../../../src/core/text/secret.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/modreg.ts';
import { needs } from '../../support/prerequisite.ts';

const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** The output of a shell script beside a NetworkManager of its own; undefined if there cannot be one. */
function besideNetworkManager(script: string, ...words: readonly string[]): string | undefined {
  const start = [...NAMESPACES, 'sh', `${ROOT}test/agent/support/with-network-manager.sh`];
  const { stdout, status } = spawnSync('unshare', [...start, 'sh', '-c', script, ...words], {
    encoding: 'utf8',
    // nmcli writes ? for what the language of the shell does not have.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  return status === 0 ? stdout : undefined;
}

const SSIDS = [' \\;"#[=', '1;2;3', '\u202e\u{1f916}', '日'.repeat(10), '-- --help', '$(reboot)`'];
const KEY = String.raw` \s;"#[= `;

describe('a real NetworkManager', () => {
  it('loads what the agent writes, with hostile names and keys, and forgets what it removes', (context) => {
    const networks = SSIDS.map((ssid, place) => ({ ssid, psk: KEY, priority: place * 100 - 300 }));
    const attributes = [{ roaming_mode: true, networks, hotspot_password: KEY }, {}];
    const show =
      'nmcli --terse -s -f 802-11-wireless.ssid,802-11-wireless.mode,802-11-wireless-security.psk,connection.autoconnect,connection.autoconnect-priority,ipv4.method connection show';
    const script = `
      apply() { "$0" ${ROOT}test/agent/support/apply-once.ts "$1" "$2" "$3"; }
      apply "$1" "$2" "$3"
      # On a busy machine, NetworkManager sometimes answers without the key, which begins with a space.
      shown() { for _ in $(seq 20); do
        out=$(${show} uuid $1)
        case $out in *'psk: '*) break ;; esac
        sleep 0.1
      done; printf '%s\\n' "$out"; }
      for uuid in $5; do shown $uuid; done
      apply "$1" "$2" "$4"
      nmcli --terse -f NAME connection show | grep -v '^lo$'
      echo end`;
    const profiles = [
      ...SSIDS.map((ssid) => networkProfile({ type: 'wifi', ssid, psk: undefined, priority: 0 })),
      hotspotProfile(secret(KEY), 'rover-1'),
    ];
    const uuids = profiles.map(({ uuid }) => uuid).join(' ');
    const given = [
      temporaryFolder(),
      JSON.stringify(THIS_MACHINE),
      JSON.stringify(attributes),
      '[{},{}]',
      uuids,
    ];
    const output = besideNetworkManager(script, process.execPath, ...given);
    needs(
      context,
      output !== undefined,
      'NetworkManager cannot be run in a namespace of its own here',
    );
    const shown = (ssid: string, rest: readonly string[]): string[] => [
      `802-11-wireless.ssid:${ssid}`,
      `802-11-wireless.mode:${rest[0]}`,
      `connection.autoconnect:${rest[1]}`,
      `connection.autoconnect-priority:${rest[2]}`,
      `ipv4.method:${rest[3]}`,
      `802-11-wireless-security.psk:${KEY}`,
    ];
    const lines = output?.trimEnd().split('\n') ?? [];
    expect(lines.at(-1)).toBe('end');
    expect(lines.slice(0, -1).toSorted()).toEqual(
      [
        ...SSIDS.flatMap((ssid, place) =>
          shown(ssid, ['infrastructure', 'yes', String(place * 100 - 300), 'auto']),
        ),
        ...shown('modreg-rover-1', ['ap', 'no', '0', 'shared']),
      ].toSorted(),
    );
  });
});
