import type { Path } from '../../core/text/json-pointer.ts';
import type { UpdatePolicy } from '../../core/machine/update-policy.ts';
import { parseRegistryAddress } from '../../registry/address.ts';
import { isExposed, readWebAddress } from '../../core/text/web-address.ts';
import type { Finding } from '../fault.ts';
import type { AgentOutline, PinsOutline } from './outline.ts';

/** Pins that nothing reads, and addresses to which plain `http:` may not go. */
export function pinFindings(
  agent: AgentOutline,
  path: Path,
  policy: UpdatePolicy | 'unreadable',
): Finding[] {
  const agentPath = [...path, 'platform-agent'];
  const serverPath = [...path, 'platform-server'];
  return [
    ...shadowedPin(agent['platform-agent'], agentPath),
    ...shadowedPin(agent['platform-server'], serverPath),
    ...exposedAddress(agent['platform-agent'].pin_url, [...agentPath, 'pin_url'], policy),
    ...exposedAddress(agent['platform-server'].pin_url, [...serverPath, 'pin_url'], policy),
  ];
}

function shadowedPin({ pin_version, pin_url }: PinsOutline, path: Path): Finding[] {
  if (pin_version === '' || pin_url === '') return [];
  const message = 'pin_url is set too, and wins over this version';
  return [{ kind: 'shadowed-pin', path: [...path, 'pin_version'], message }];
}

/** The same for the address of a registry. */
export function exposedRegistry(
  address: string,
  path: Path,
  allowHttp: readonly string[],
): Finding[] {
  const read = parseRegistryAddress(address);
  return read.ok && 'url' in read.value ? exposed(read.value.url, path, allowHttp) : [];
}

/** Whether `address`, if it is one, goes without TLS to where it may not. */
function exposedAddress(
  address: string,
  path: Path,
  policy: UpdatePolicy | 'unreadable',
): Finding[] {
  const url = readWebAddress(address);
  if (!url.ok || policy === 'unreadable') return [];
  return exposed(url.value, path, policy.terms.allowHttp);
}

function exposed(url: URL, path: Path, allowHttp: readonly string[]): Finding[] {
  if (!isExposed(url, allowHttp)) return [];
  const message = `http: to ${url.host} is neither to this machine nor in the policy's allow_http`;
  return [
    { kind: 'bad-address', path, message, hint: 'use https:, or name the host in allow_http' },
  ];
}
