import { systemTarget, type SystemTarget } from '../../../src/agent/system/managed-files.ts';
import { readAgentConfiguration, type AgentConfiguration } from '../../../src/config/index.ts';
import { value } from '../../support/reading.ts';

/** The agent configuration with these attributes. */
export function agentWith(provisioning: object, syscfg: object = {}): AgentConfiguration {
  const document = {
    'agent-provisioning': { attributes: provisioning },
    'agent-syscfg': { attributes: syscfg },
  };
  return value(readAgentConfiguration(JSON.stringify(document)));
}

/** What these attributes say about the system. */
export function targetOf(provisioning: object, syscfg: object = {}): SystemTarget {
  return systemTarget(agentWith(provisioning, syscfg), undefined, 'rover-1');
}
