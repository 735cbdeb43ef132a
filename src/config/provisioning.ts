import * as v from 'valibot';
import type {
  AgentConfiguration,
  Network,
  ProvisioningAttributes,
} from '../core/machine/machine.ts';
import { expectMembers, OBJECT } from '../core/text/argument.ts';
import { fields, flag, listOf, oneOf, wholeNumber, type Schema } from './fields/fields.ts';
import { hotspotPassword, networkKey, ssid } from './fields/wifi.ts';

const network: Schema<Network> = v.pipe(
  fields({
    type: v.optional(oneOf(['wifi']), 'wifi'),
    ssid,
    psk: v.optional(networkKey),
    priority: v.optional(wholeNumber(-999, 999), 0),
  }),
  v.transform((entry) => ({
    type: entry.type,
    ssid: entry.ssid,
    psk: entry.psk,
    priority: entry.priority,
  })),
);

/** The attributes of `agent-provisioning`. */
export const provisioningAttributes: Schema<ProvisioningAttributes> = v.pipe(
  fields({
    hotspot_password: v.optional(hotspotPassword),
    roaming_mode: v.optional(flag()),
    networks: v.optional(listOf(network, 'a list of networks')),
  }),
  v.transform((attributes) => ({
    hotspotPassword: attributes.hotspot_password,
    roamingMode: attributes.roaming_mode,
    networks: attributes.networks,
  })),
);

const AGENT = { provisioning: OBJECT };

/**
 * The effective provisioning attributes: each attribute that the machine's configuration sets overrides the
 * manufacturer's. `networks` is empty when neither sets it.
 *
 * @example
 * ```ts
 * import { mergeProvisioning, readAgentConfiguration } from 'modreg/config';
 *
 * const machine = readAgentConfiguration('{ "agent-provisioning": {} }');
 * const manufacturer = readAgentConfiguration(
 *   '{ "agent-provisioning": { "attributes": { "roaming_mode": true } } }',
 * );
 * if (machine.ok && manufacturer.ok) {
 *   console.log(mergeProvisioning(machine.value, manufacturer.value).roamingMode); // true
 * }
 * ```
 */
export function mergeProvisioning(
  machine: AgentConfiguration,
  manufacturer?: AgentConfiguration,
): ProvisioningAttributes & {
  /** Networks that the machine may connect to. */
  readonly networks: NonNullable<ProvisioningAttributes['networks']>;
} {
  expectMembers('mergeProvisioning()', 'machine', machine, AGENT);
  if (manufacturer) expectMembers('mergeProvisioning()', 'manufacturer', manufacturer, AGENT);
  const own = machine.provisioning.attributes;
  const theirs = manufacturer?.provisioning.attributes;
  return {
    hotspotPassword: own.hotspotPassword ?? theirs?.hotspotPassword,
    roamingMode: own.roamingMode ?? theirs?.roamingMode,
    networks: own.networks ?? theirs?.networks ?? [],
  };
}
