import type { Window } from '../decision/timing-policies.ts';
import type { MinimumAge } from '../releases/eligibility-policy.ts';

/** How a site wants its machines updated: terms for all modules, and for some by name. */
export interface UpdatePolicy {
  readonly terms: UpdateTerms;
  /** By the name of the module entry or the subsystem. */
  readonly modules: ReadonlyMap<string, UpdateTerms>;
}

export interface UpdateTerms {
  /** The registry's address, where the policy names one. */
  readonly registry: string | undefined;
  /** Hosts that may be spoken to without TLS, beside the machine itself. */
  readonly allowHttp: readonly string[];
  readonly minimumAge: MinimumAge;
  /** The maintenance windows, as one; undefined where restarts may begin at all times. */
  readonly window: Window | undefined;
  /** Whether a lower version may replace one that the constraint no longer covers. (D18) */
  readonly allowDowngrade: boolean;
  /** How long a version that failed is refused; undefined until its digest changes or it is lifted. */
  readonly quarantineMs: number | undefined;
  /** The least time between two restarts of a module. */
  readonly restartCooldownMs: number;
  /** The most restarts of a module in 24 hours. */
  readonly restartCeiling: number;
  /** How old a saved release list may be and still decide. (D21) */
  readonly maxIndexAgeMs: number;
  /** Secrets of the agent that a module's `env` may read. */
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

export const DEFAULT_POLICY: UpdatePolicy = { terms: DEFAULT_TERMS, modules: new Map() };

/** The terms for the module entry or the subsystem of this name. */
export function termsFor(policy: UpdatePolicy, name: string): UpdateTerms {
  return policy.modules.get(name) ?? policy.terms;
}
