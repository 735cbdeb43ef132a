import type { Path } from '../core/json-pointer.ts';
import { isExposed, readWebAddress } from '../core/web-address.ts';
import type { Finding } from './fault.ts';
import type { AgentOutline, PinsOutline } from './outline.ts';

/** Pins that nothing reads, and addresses to which plain `http:` may not go. */
export function pinFindings(
  agent: AgentOutline,
  path: Path,
  allowHttp: readonly string[],
): Finding[] {
  const agentPath = [...path, 'platform-agent'];
  const serverPath = [...path, 'platform-server'];
  return [
    ...shadowedPin(agent['platform-agent'], agentPath),
    ...shadowedPin(agent['platform-server'], serverPath),
    ...exposedAddress(agent['platform-agent'].pin_url, [...agentPath, 'pin_url'], allowHttp),
    ...exposedAddress(agent['platform-server'].pin_url, [...serverPath, 'pin_url'], allowHttp),
  ];
}

function shadowedPin({ pin_version, pin_url }: PinsOutline, path: Path): Finding[] {
  if (pin_version === '' || pin_url === '') return [];
  const message = 'pin_url is set too, and wins over this version';
  return [{ kind: 'shadowed-pin', path: [...path, 'pin_version'], message }];
}

/** Whether `address`, if it is one, goes without TLS to where it may not. */
export function exposedAddress(
  address: string,
  path: Path,
  allowHttp: readonly string[],
): Finding[] {
  const url = readWebAddress(address);
  if (!url.ok || !isExposed(url.value, allowHttp)) return [];
  const message = `http: to ${url.value.host} is neither to this machine nor in the policy's allow_http`;
  return [
    { kind: 'bad-address', path, message, hint: 'use https:, or name the host in allow_http' },
  ];
}
