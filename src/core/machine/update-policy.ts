import type { Window } from '../decision/timing-policies.ts';
import type { Eligibility } from '../releases/eligibility-policy.ts';

/** How a site wants its machines updated: terms for all modules, and for some of them by name. */
export interface UpdatePolicy {
  /** The terms of each module entry and subsystem that `modules` does not list. */
  readonly terms: UpdateTerms;
  /** Complete terms, by the name of the module entry or the subsystem. */
  readonly modules: ReadonlyMap<string, UpdateTerms>;
}

/** What a policy says of one module entry or subsystem, with defaults filled in. */
export interface UpdateTerms {
  /** The registry's address; undefined where the policy names none. */
  readonly registry: string | undefined;
  /** Hosts that may be contacted without TLS, as `host` or `host:port`. Loopback addresses always may. */
  readonly allowHttp: readonly string[];
  /** How long ago a release must have been published before a floating constraint takes it. */
  readonly minimumAge: NonNullable<Eligibility['minimumAge']>;
  /** The maintenance windows, as one; undefined where restarts may begin at all times. */
  readonly window: Window | undefined;
  /** Whether a lower version may replace a deployed one that the constraint does not accept. */
  readonly allowDowngrade: boolean;
  /**
   * How long a version that failed is refused, in milliseconds. Undefined: until its digest changes or an
   * operator lifts the quarantine.
   */
  readonly quarantineMs: number | undefined;
  /** The shortest time between two restarts of a module, in milliseconds. */
  readonly restartCooldownMs: number;
  /** The most restarts of a module in 24 hours. */
  readonly restartCeiling: number;
  /** The age in milliseconds from which a saved release list no longer replaces an unreachable registry's. */
  readonly maxIndexAgeMs: number;
  /** Names of the agent's secret environment variables that a module's `env` may read. */
  readonly envAllow: readonly string[];
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const DEFAULT_TERMS: UpdateTerms = {
  registry: undefined,
  allowHttp: [],
  minimumAge: { ms: 0, unknown: 'refuse' },
  window: undefined,
  allowDowngrade: true,
  quarantineMs: undefined,
  restartCooldownMs: 5 * MINUTE,
  restartCeiling: 12,
  maxIndexAgeMs: 7 * DAY,
  envAllow: [],
};

/** The policy of a site that has none: every module updates at any time, without a minimum age. */
export const DEFAULT_POLICY: UpdatePolicy = { terms: DEFAULT_TERMS, modules: new Map() };

/**
 * The terms of the module entry or subsystem `name`: its own where the policy lists it, else those for all.
 *
 * @example
 * ```ts
 * import { readUpdatePolicy, termsFor } from 'modreg/config';
 *
 * const policy = readUpdatePolicy('{ "modules": { "acme_lidar": { "minimum_release_age": "14d" } } }');
 * if (policy.ok) console.log(termsFor(policy.value, 'acme_lidar').minimumAge.ms); // 1209600000
 * ```
 */
export function termsFor(policy: UpdatePolicy, name: string): UpdateTerms {
  return policy.modules.get(name) ?? policy.terms;
}
