import { excerpt, quote } from './quote.ts';
import type { Result } from './result.ts';

/** Why a web address is refused: one escaped line that contains at most its scheme and host. */
export type AddressComplaint = string;

const LONGEST_ADDRESS = 2048;
/** Hosts at which clouds provide credentials, besides link-local addresses. */
const METADATA_HOSTS = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'metadata',
  'instance-data.ec2.internal',
  'instance-data',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
]);
/** Public names of the machine itself. Other names contain the address: `127.0.0.1.nip.io`, `app-127-0-0-1.sslip.io`. */
const LOOPBACK_NAMES = /(?:^|\.)(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|localho\.st)$/;
const NUMBER = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ADDRESS_IN_NAME = new RegExp(`(?:^|[.-])${Array(4).fill(NUMBER).join('[.-]')}[.-]`);
const HEX_IN_NAME = /(?:^|[.-])([0-9a-f]{8})\.(?:nip|sslip)\.io$/;

/**
 * Parses an `https:` or `http:` address that a machine may contact. User info, link-local addresses and cloud metadata
 * addresses are refused in every spelling. Addresses in private networks are accepted.
 */
export function readWebAddress(text: string): Result<URL, AddressComplaint> {
  if (text.length > LONGEST_ADDRESS) {
    return refused(`it has ${text.length} characters, expected at most ${LONGEST_ADDRESS}`);
  }
  // The URL parser would silently drop or replace these characters.
  if (/[\s\p{Cc}\\]/u.test(text)) {
    return refused('it contains white space, a control character or a backslash');
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (scheme === undefined) return refused('expected https:// and a host');
  if (!/^https?$/i.test(scheme)) return refused(`${quote(`${scheme}:`)} is not https: or http:`);
  if (!/^https?:\/\/[^/]/i.test(text)) {
    return refused(`expected a host after ${quote(`${scheme}://`)}`);
  }
  if (!URL.canParse(text)) return refused('its host or port cannot be parsed');
  const url = new URL(text);
  if (authorityOf(text).includes('@')) {
    return refused(
      `user info before the host ${excerpt(url.host)}: credentials do not belong here`,
    );
  }
  const reason = forbiddenHost(url.hostname);
  return reason === undefined
    ? { ok: true, value: url }
    : refused(`${excerpt(url.hostname)} is ${reason}`);
}

/**
 * Whether others could read or change the traffic to `url`: it is `http:`, and its host is neither the machine itself nor
 * in `allowHttp` (`host` or `host:port`).
 */
export function isExposed(url: URL, allowHttp: readonly string[]): boolean {
  if (url.protocol === 'https:' || isLoopback(withoutTrailingDot(url.hostname))) return false;
  return !allowHttp.some((allowed) => allows(allowed, url));
}

/** Without a port, `allowed` allows all ports. */
function allows(allowed: string, url: URL): boolean {
  const host = URL.parse(`http://${allowed}/`);
  if (!host || withoutTrailingDot(host.hostname) !== withoutTrailingDot(url.hostname)) return false;
  return !/:\d+$/.test(allowed) || host.port === url.port;
}

/** `hostname` without a trailing dot. */
export function withoutTrailingDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

function refused(complaint: AddressComplaint): Result<never, AddressComplaint> {
  return { ok: false, error: complaint };
}

function authorityOf(text: string): string {
  return text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? '';
}

/** Whether a host name, as the URL parser writes it, is that of this machine itself. */
export function isLoopback(hostname: string): boolean {
  return /^(.+\.)?localhost$|^\[::1\]$|^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Why no machine may contact `hostname`, which the URL parser has normalized; undefined if it may. */
function forbiddenHost(hostname: string): string | undefined {
  const host = withoutTrailingDot(hostname);
  if (METADATA_HOSTS.has(host)) return 'a cloud metadata address';
  const ipv4 = /^\d+\.\d+\.\d+\.\d+$/.test(host) ? host.split('.').map(Number) : undefined;
  if (ipv4) return forbiddenIpv4(ipv4);
  return host.startsWith('[') ? forbiddenIpv6(groupsOf(host.slice(1, -1))) : forbiddenName(host);
}

/** Such a name avoids the rules for the address that it stands for (T92). */
function forbiddenName(host: string): string | undefined {
  if (LOOPBACK_NAMES.test(host)) return 'a public name of this machine itself';
  const hex = HEX_IN_NAME.exec(host)?.[1]
    ?.match(/../g)
    ?.map((byte) => Number.parseInt(byte, 16));
  const bytes = hex ?? ADDRESS_IN_NAME.exec(host)?.slice(1).map(Number);
  if (!bytes) return undefined;
  if (bytes[0] === 127) return 'a public name of this machine itself';
  const reason = forbiddenIpv4(bytes);
  return reason && `a name for ${reason}`;
}

function forbiddenIpv4(bytes: readonly number[]): string | undefined {
  if (bytes[0] === 169 && bytes[1] === 254) return 'a link-local address';
  if (METADATA_HOSTS.has(bytes.join('.'))) return 'a cloud metadata address';
  return bytes[0] === 0 ? 'not the address of a host' : undefined;
}

function forbiddenIpv6(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0] = groups;
  if ((first & 0xffc0) === 0xfe80) return 'a link-local address';
  // AWS has several services in its prefix; GCP and Scaleway have one address.
  const isMetadata =
    (first === 0xfd00 && second === 0x0ec2) ||
    ['fd20:ce:0:0:0:0:0:254', 'fd00:42:0:0:0:0:0:42'].includes(
      groups.map((group) => group.toString(16)).join(':'),
    );
  if (isMetadata) return 'a cloud metadata address';
  // IPv6 addresses that contain an IPv4 address: compatible, mapped, translated (SIIT, NAT64), 6to4.
  const prefix = groups.slice(0, 6).join(':');
  const isWrapped = ['0:0:0:0:0:0', '0:0:0:0:0:65535', '0:0:0:0:65535:0'].includes(prefix);
  if (isWrapped && groups[6] !== 0) return forbiddenIpv4(bytesOf(groups.slice(6)));
  if (first === 0x64 && second === 0xff9b) return forbiddenIpv4(bytesOf(groups.slice(6)));
  if (first === 0x2002) return forbiddenIpv4(bytesOf(groups.slice(1, 3)));
  return groups.every((group) => group === 0) ? 'not the address of a host' : undefined;
}

/** The eight groups of an IPv6 address as the URL parser writes it: hexadecimal, one `::` at most. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function bytesOf(groups: readonly number[]): number[] {
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}
