import type { DecideInput } from '../core/index.ts';
import { CONSTRAINTS } from '../core/version/constraint.ts';
import { anyOf, isNumber, isText, listOf, objectOf, oneOf, optional, type Shape } from './shape.ts';

/*
 * The shapes of constraints, and of what a policy says about releases with them, in the facts of a decision.
 */

export const isVersion: Shape = objectOf({
  text: isText,
  major: isNumber,
  minor: isNumber,
  patch: isNumber,
  prerelease: isText,
  build: isText,
});

function constraintOf(kind: string, fields: Readonly<Record<string, 'version' | 'number'>>): Shape {
  const shapes = Object.entries(fields).map(([name, type]): [string, Shape] => [
    name,
    type === 'version' ? isVersion : isNumber,
  ]);
  return objectOf({ kind: oneOf(kind), ...Object.fromEntries(shapes) });
}

export const isConstraint: Shape = anyOf(
  ...Object.entries(CONSTRAINTS).map(([kind, { shape }]) => constraintOf(kind, shape)),
);

/** `1.3.*` or `1.*` (D95). */
export const isBranch: Shape = anyOf(
  constraintOf('minor', CONSTRAINTS.minor.shape),
  constraintOf('major', CONSTRAINTS.major.shape),
);

/** What the policy of a site refuses (D94). */
export const areRefused: Shape = listOf(
  objectOf({
    versions: anyOf(constraintOf('patch', CONSTRAINTS.patch.shape), isBranch),
    because: optional(isText),
  }),
);

type MinimumAge = NonNullable<DecideInput['eligibility']['minimumAge']>;

export const isMinimumAge: Shape = objectOf<keyof MinimumAge>({
  ms: isNumber,
  unknown: oneOf('refuse', 'allow'),
  byStep: optional(objectOf({ major: isNumber, minor: isNumber, patch: isNumber })),
  exempt: optional(listOf(isText)),
  afterYank: optional(isNumber),
});

/** A field of a document that decides what may be replaced (D240). */
export const isUnknownField: Shape = objectOf({
  of: oneOf('policy', 'agent'),
  path: isText,
  suggestion: optional(isText),
  more: isNumber,
});
