import type { Path } from '../../core/json-pointer.ts';
import type { Finding } from '../fault.ts';
import type { AgentOutline } from './outline.ts';

/** The bits of a file's mode that let others than its owner in. */
const OTHERS = 0o077;

/** A password in a file that others than its owner can read. (Authentication) */
export function permissionFindings(
  agent: AgentOutline,
  path: Path,
  mode: number | undefined,
): Finding[] {
  if (mode === undefined || (mode & OTHERS) === 0) return [];
  const first = firstSecret(agent);
  if (!first) return [];
  const message = `a secret, in a file of mode ${(mode & 0o777).toString(8).padStart(4, '0')} that others can read`;
  const hint = 'chmod 600 keeps it to its owner';
  return [{ kind: 'permissions', path: [...path, ...first], message, hint }];
}

function firstSecret(agent: AgentOutline): Path | undefined {
  const { hotspot_password, networks } = agent['agent-provisioning'].attributes;
  const attributes = ['agent-provisioning', 'attributes'];
  if (hotspot_password !== '') return [...attributes, 'hotspot_password'];
  const network = networks.findIndex(({ psk }) => psk !== '');
  return network === -1 ? undefined : [...attributes, 'networks', network, 'psk'];
}
