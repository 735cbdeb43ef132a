import { createHash } from 'node:crypto';
import type { Network } from '../../core/machine/machine.ts';
import type { Secret } from '../../core/text/secret.ts';

/** A connection profile of NetworkManager. */
export interface Profile {
  /** Its name in NetworkManager, and that of its file. It never has text of an SSID, which may be anything. */
  readonly id: string;
  readonly uuid: string;
  readonly ssid: string;
  readonly content: string;
}

const LONGEST_SSID = 32;

/** The profile of a network. NetworkManager itself prefers the highest priority, too, when it connects. */
export function networkProfile({ ssid, psk, priority }: Network): Profile {
  const { hash, uuid } = identityOf(`network ${ssid}`);
  const id = `modreg-${hash}`;
  const content = keyfile({
    connection: { id, uuid, type: 'wifi', 'autoconnect-priority': String(priority) },
    wifi: { mode: 'infrastructure', ssid: bytesOf(ssid) },
    ...(psk && { 'wifi-security': { 'key-mgmt': 'wpa-psk', psk: escaped(psk) } }),
    ipv4: { method: 'auto' },
    ipv6: { method: 'auto' },
  });
  return { id, uuid, ssid, content };
}

/** The profile of the hotspot. It has a password always, and NetworkManager never opens it by itself. */
export function hotspotProfile(password: Secret, hostName: string): Profile {
  const id = 'modreg-hotspot';
  const { uuid } = identityOf('hotspot');
  // Names of hosts are ASCII.
  const ssid = `modreg-${hostName}`.slice(0, LONGEST_SSID);
  const cipher = { proto: 'rsn;', pairwise: 'ccmp;', group: 'ccmp;' };
  const content = keyfile({
    connection: { id, uuid, type: 'wifi', autoconnect: 'false' },
    wifi: { mode: 'ap', ssid: bytesOf(ssid) },
    'wifi-security': { 'key-mgmt': 'wpa-psk', ...cipher, psk: escaped(password) },
    ipv4: { method: 'shared' },
    ipv6: { method: 'ignore' },
  });
  return { id, uuid, ssid, content };
}

function keyfile(groups: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const text = Object.entries(groups).map(([group, values]) => {
    const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`);
    return `\n[${group}]\n${lines.join('')}`;
  });
  return `${OWN_FILE.map((line) => `# ${line}\n`).join('')}${text.join('')}`;
}

/** The first lines of each managed file. */
export const OWN_FILE: readonly string[] = [
  'Written by modreg from the agent configuration of this machine.',
  'If you change it, modreg leaves it alone until you delete it.',
];

/** As a list of bytes: any other form would give some characters a meaning. */
function bytesOf(ssid: string): string {
  return Array.from(Buffer.from(ssid), (byte) => `${byte};`).join('');
}

/** A key is printable ASCII; a keyfile gives a meaning to its backslashes, and to spaces at its start. */
function escaped(key: Secret): string {
  return key
    .reveal()
    .replaceAll('\\', '\\\\')
    .replaceAll(' ', String.raw`\s`);
}

/** The same for the same text on every machine and at all times. */
function identityOf(text: string): { readonly hash: string; readonly uuid: string } {
  const hash = createHash('sha256').update(`modreg ${text}`).digest('hex');
  const [, a = '', b = '', c = '', d = '', e = ''] =
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hash) ?? [];
  // Version 8 of RFC 9562: the other bits are the maker's.
  return { hash: hash.slice(0, 16), uuid: `${a}-${b}-8${c}-8${d}-${e}` };
}
