import { valueOf } from '../../../src/config/served/checked-served.ts';
import { verdictOn, type FollowingMachine } from '../../../src/config/served/verdict.ts';
import { parseVersion } from '../../../src/core/index.ts';
import type { ServedConfig } from '../../../src/core/trust/served-config.ts';
import { readTrustDocument } from '../../../src/core/trust/trust-document.ts';
import { entry } from '../../support/planned.ts';
import { APPROVER, AUTHOR, role, trustOf, VENDOR } from '../../support/signed.ts';

export const NOW: number = Date.parse('2026-11-29T12:00:00Z');

/** Two operators have to sign. */
const TRUST = trustOf([
  role('namespace acme', 1, AUTHOR),
  role('namespace platform', 1, VENDOR),
  role('operator', 2, AUTHOR, APPROVER),
]);

/** The policy of a machine whose releases need signatures, and of one whose releases need none. */
export const PIN = { trust: TRUST.pin };
export const UNSIGNED = { trust: 'unsigned' };

/** The modules of the machine before a change. */
export const LIDAR = { ...entry('acme:lidar', '1.3.*'), env: { RATE: '10' } };
export const OWN = {
  type: 'local',
  name: 'own',
  module_id: 'acme:own',
  executable_path: '/opt/own',
};
export const ARM = entry('other:arm', '2.*');
export const CONFIG = { modules: [LIDAR, OWN, ARM] };

/** What a site serves, and the machine that looks at it. */
export interface Serving {
  /** The machine's own documents. */
  readonly policy?: object;
  readonly localConfig?: object;
  /** What is served: by default the same config, and no terms. */
  readonly config?: object;
  readonly terms?: object;
  readonly served?: Partial<ServedConfig>;
  readonly on?: Partial<
    Pick<
      FollowingMachine,
      'inForce' | 'highest' | 'unreached' | 'isUnproven' | 'least' | 'trust' | 'deployed' | 'now'
    >
  >;
  /** How many operators signed. */
  readonly signed?: number;
}

/** `accepted`, or the code and the detail of the refusal. */
export function outcome(serving: Serving): string {
  const verdict = verdictOf(serving);
  return verdict.ok ? 'accepted' : `${verdict.error.code}: ${verdict.error.detail}`;
}

export function verdictOf({
  policy = PIN,
  localConfig = CONFIG,
  config = CONFIG,
  terms,
  served,
  on,
  signed = 0,
}: Serving): ReturnType<typeof verdictOn> {
  const revision = { ...revisionOf(1, config, terms), ...served };
  return verdictOn(revision, {
    machine: 'rover-7',
    inForce: undefined,
    highest: 0,
    unreached: 0,
    isUnproven: false,
    least: {},
    deployed: (name) => (name === 'acme_lidar' ? version('1.3.5') : undefined),
    now: NOW,
    trust: { ok: true, value: { document: trustDocument(), signed: () => signed } },
    ...on,
    local: { config: jsonOf(localConfig), policy: jsonOf(policy) },
  });
}

/** A revision of rover-7. */
export function revisionOf(revision: number, config: object, terms?: object): ServedConfig {
  return {
    machine: 'rover-7',
    revision,
    config: JSON.stringify(config),
    policy: terms && JSON.stringify(terms),
    signatures: {},
  };
}

function jsonOf(document: object): ReturnType<typeof valueOf> {
  return valueOf(JSON.stringify(document));
}

function version(text: string): ReturnType<FollowingMachine['deployed']> {
  const read = parseVersion(text);
  return read.ok ? read.value : undefined;
}

function trustDocument() {
  const read = readTrustDocument(TRUST.text);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}
