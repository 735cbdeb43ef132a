import type { DecideInput } from '../core/index.ts';
import { askedOf, UNCHECKED, type TrustCheck } from '../core/releases/eligibility-policy.ts';
import {
  anyOf,
  isMapOf,
  isNumber,
  isText,
  objectOf,
  oneOf,
  optional,
  type Shape,
} from './shape.ts';

/** What was found of the signatures of releases, by their versions (D133, D200). */
export const areVerdicts: Shape = isMapOf(
  anyOf(
    oneOf(null),
    objectOf({
      reason: oneOf('unsigned'),
      signed: isNumber,
      needed: optional(isNumber),
      of: optional(oneOf('npm')),
    }),
    objectOf({
      reason: oneOf('bad-signature'),
      found: oneOf('wrong', 'other-key', 'listed-twice', 'too-many', 'unknown-key', 'expired-key'),
      keyId: optional(isText),
    }),
  ),
);

/** What was found, with the function that answers the same. */
export function withTrust(input: DecideInput): DecideInput {
  const { list } = input;
  const verdicts = 'error' in list ? undefined : list.trust?.verdicts;
  if (!verdicts) return input;
  const trust: TrustCheck & { readonly toJSON: () => object } = {
    verdicts,
    check(release, what) {
      const known = verdicts.get(askedOf(release, what));
      return known === undefined ? UNCHECKED : (known ?? undefined);
    },
    toJSON: () => ({ verdicts }),
  };
  return { ...input, list: { ...list, trust } };
}

/** Whether a value of some facts is what was found of signatures. */
export function isTrust(value: unknown): value is Pick<Required<TrustCheck>, 'verdicts'> {
  return typeof value === 'object' && value !== null && 'verdicts' in value;
}

/** What was looked at only once says nothing: the release may not have been a candidate. */
export function haveSameVerdicts(one: unknown, other: unknown): boolean {
  if (!isTrust(one) || !isTrust(other)) return false;
  return [...one.verdicts].every(([version, verdict]) => {
    const known = other.verdicts.get(version);
    return known === undefined || JSON.stringify(verdict) === JSON.stringify(known);
  });
}
