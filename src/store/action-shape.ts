import { type Artifact, type Stop } from '../core/index.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import type { NewAction } from '../core/plan/committed-action.ts';
import {
  isModuleId,
  isNumber,
  isText,
  listOf,
  objectOf,
  oneOf,
  orNothing,
  type Shape,
} from './shape.ts';

/** The shape of a stored artifact. */
export const isWholeArtifact: Shape = objectOf<keyof Artifact>({
  platform: isText,
  url: orNothing(isText),
  digest: orNothing(isText),
  size: orNothing(isNumber),
});

const stops = listOf(objectOf<keyof Stop>({ component: isText, dependsOn: listOf(isText) }));
const module = objectOf({ kind: oneOf('module'), name: isText, moduleId: isModuleId });
const subsystem = objectOf({
  kind: oneOf('subsystem'),
  name: oneOf(...Object.keys(SUBSYSTEM_MODULES)),
});

const isConstraint = objectOf({ kind: oneOf('constraint'), constraint: isText, text: isText });
const isPinUrl = objectOf({ kind: oneOf('pin-url'), text: isText });
const isFailure = objectOf({
  kind: oneOf('failure'),
  version: isText,
  until: orNothing(isNumber),
  isRolledBack: oneOf(true, false),
  text: isText,
});

const shape: Shape = objectOf<keyof NewAction>({
  kind: oneOf('restart-and-upgrade'),
  target: (target) => module(target) || subsystem(target),
  from: orNothing(isText),
  to: isText,
  artifact: orNothing(isWholeArtifact),
  direction: isText,
  stops,
  reason: (reason) => isConstraint(reason) || isPinUrl(reason) || isFailure(reason),
  decidedAt: isNumber,
  restart: objectOf<keyof NewAction['restart']>({ of: isText, targets: listOf(isText), stops }),
});

/** Whether a stored action is one. */
export function isWholeAction(value: unknown): value is NewAction {
  return shape(value);
}
