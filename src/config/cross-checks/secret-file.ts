import { modeOpenToOthers } from '../file-mode.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import type { Finding } from '../fault.ts';
import type { AgentOutline } from './outline.ts';

/** A password in a file that users other than its owner can access. (Authentication) */
export function permissionFindings(
  agent: AgentOutline,
  path: Path,
  mode: number | undefined,
): Finding[] {
  const open = mode === undefined ? undefined : modeOpenToOthers(mode);
  if (open === undefined) return [];
  const first = firstSecret(agent);
  if (!first) return [];
  const message = `a secret in a file with mode ${open}, which other users can access`;
  const hint = 'chmod 600 restricts the file to its owner';
  return [{ kind: 'permissions', path: [...path, ...first], message, hint }];
}

function firstSecret(agent: AgentOutline): Path | undefined {
  const { hotspot_password, networks } = agent['agent-provisioning'].attributes;
  const attributes = ['agent-provisioning', 'attributes'];
  if (hotspot_password !== '') return [...attributes, 'hotspot_password'];
  const network = networks.findIndex(({ psk }) => psk !== '');
  return network === -1 ? undefined : [...attributes, 'networks', network, 'psk'];
}
