import type { Path } from '../../core/text/json-pointer.ts';
import type { UpdatePolicy } from '../../core/machine/update-policy.ts';
import { parseRegistryAddress } from '../../registry/address.ts';
import { isExposed, readWebAddress } from '../../core/text/web-address.ts';
import type { Finding } from '../fault.ts';
import type { AgentOutline, PinsOutline } from './outline.ts';

/** Pins that have no effect, and plain `http:` addresses that the policy does not allow. */
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
    ...downloadAddress(agent['platform-agent'].pin_url, [...agentPath, 'pin_url'], policy),
    ...downloadAddress(agent['platform-server'].pin_url, [...serverPath, 'pin_url'], policy),
  ];
}

function shadowedPin({ pin_version, pin_url }: PinsOutline, path: Path): Finding[] {
  if (pin_version === '' || pin_url === '') return [];
  const message = 'pin_url is also set, and overrides this version';
  return [{ kind: 'shadowed-pin', path: [...path, 'pin_version'], message }];
}

/** A plain `http:` address of a registry or a collector that the policy does not allow. */
export function exposedAddress(
  address: string,
  path: Path,
  allowHttp: readonly string[],
): Finding[] {
  const read = parseRegistryAddress(address);
  return read.ok && 'url' in read.value ? exposed(read.value.url, path, allowHttp) : [];
}

/**
 * A `pin_url` that is plain `http:` and not allowed; nothing if it cannot be read. Without a digest, `allow_http` allows
 * nothing (D36).
 */
function downloadAddress(
  address: string,
  path: Path,
  policy: UpdatePolicy | 'unreadable',
): Finding[] {
  const url = readWebAddress(address);
  if (!url.ok) return [];
  if (!url.value.hash.startsWith('#sha')) {
    if (!isExposed(url.value, [])) return [];
    const message = `http: to ${url.value.host} is not allowed without a digest: others could replace the file`;
    const hint = 'use https:, or append #sha256=… and add the host to allow_http';
    return [{ kind: 'bad-address', path, message, hint }];
  }
  return policy === 'unreadable' ? [] : exposed(url.value, path, policy.terms.allowHttp);
}

function exposed(url: URL, path: Path, allowHttp: readonly string[]): Finding[] {
  if (!isExposed(url, allowHttp)) return [];
  const message = `http: to ${url.host} is not allowed: ${url.host} is neither this machine nor in the policy's allow_http`;
  return [
    { kind: 'bad-address', path, message, hint: 'use https:, or add the host to allow_http' },
  ];
}
