import { expectSpelling, type Members } from '../text/spelling.ts';
import type { UpdatePolicy, UpdateTerms } from './update-policy.ts';

const POLICY: Members<UpdatePolicy> = {
  terms: true,
  modules: true,
  group: true,
  tags: true,
  provides: true,
  logs: true,
  unknownFields: true,
};

const TERMS: Members<UpdateTerms> = {
  registry: true,
  allowHttp: true,
  minimumAge: true,
  refuse: true,
  ageExempt: true,
  trust: true,
  npmKeys: true,
  trustClock: true,
  window: true,
  blackouts: true,
  allowDowngrade: true,
  onYank: true,
  requireDigest: true,
  quarantineMs: true,
  restartCooldownMs: true,
  restartCeiling: true,
  maxIndexAgeMs: true,
  longestHoldMs: true,
  envAllow: true,
  prefetch: true,
  diskReserveMib: true,
  run: true,
};

/**
 * Throws a TypeError for a misspelt name in a policy or in its default terms, which a program changed after it read them (D313).
 * What `readUpdatePolicy` returns has none.
 */
export function expectPolicyNames(callee: string, as: string, policy: UpdatePolicy): void {
  expectSpelling(callee, as, policy, POLICY);
  if (typeof policy.terms === 'object') expectTermsNames(callee, `${as}.terms`, policy.terms);
}

/** The same for terms, all of which may be absent. */
export function expectTermsNames(callee: string, as: string, terms: Partial<UpdateTerms>): void {
  expectSpelling(callee, as, terms, TERMS);
}
