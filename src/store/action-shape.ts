import { type Artifact, type Stop } from '../core/index.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import type { NewAction } from '../core/plan/committed-action.ts';
import {
  isModuleId,
  isNumber,
  isText,
  isWords,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Shape,
} from './shape.ts';

/** Whether a stored value is an artifact. */
type Signature = NonNullable<Artifact['signatures']>[number];

export const isArtifact: Shape = objectOf<keyof Artifact>({
  platform: isText,
  url: optional(isText),
  digest: optional(isText),
  size: optional(isNumber),
  signatures: optional(listOf(objectOf<keyof Signature>({ keyid: isText, sig: isText }))),
});

const stops = listOf(
  objectOf<keyof Stop>({
    component: isText,
    moduleId: optional(isModuleId),
    dependsOn: listOf(isText),
  }),
);
const module = objectOf({ kind: oneOf('module'), name: isText, moduleId: isModuleId });
const subsystem = objectOf({
  kind: oneOf('subsystem'),
  name: oneOf(...Object.keys(SUBSYSTEM_MODULES)),
});

const TOLD = { text: isText, words: optional(isWords) };
const isConstraint = objectOf({ kind: oneOf('constraint'), constraint: isText, ...TOLD });
const isPinUrl = objectOf({ kind: oneOf('pin-url'), ...TOLD });
const isFailure = objectOf({
  kind: oneOf('failure'),
  version: isText,
  until: optional(isNumber),
  isRolledBack: oneOf(true, false),
  ...TOLD,
});
const isRequest = objectOf({
  kind: oneOf('request'),
  requestedAt: isNumber,
  isImmediate: oneOf(true, false),
  ...TOLD,
});
const REASONS: readonly Shape[] = [isConstraint, isPinUrl, isFailure, isRequest];

const shape: Shape = objectOf<keyof NewAction>({
  kind: oneOf('restart-and-upgrade'),
  target: (target) => module(target) || subsystem(target),
  from: optional(isText),
  to: isText,
  artifact: optional(isArtifact),
  direction: isText,
  stops,
  reason: (reason) => REASONS.some((isReason) => isReason(reason)),
  decidedAt: isNumber,
  restart: objectOf<keyof NewAction['restart']>({ of: isText, targets: listOf(isText), stops }),
});

/** Whether a stored value is an action. */
export function isAction(value: unknown): value is NewAction {
  return shape(value);
}
