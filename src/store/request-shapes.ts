import type { SkippedFloor } from '../core/releases/eligibility-policy.ts';
import type { Requester, RestartRequest } from '../core/decision/restart-request.ts';
import { isFlag, isNumber, isText, objectOf, optional, type Shape } from './shape.ts';

export const isRequester: Shape = objectOf<keyof Requester>({
  by: isText,
  because: optional(isText),
});

export const isRestartRequest: Shape = objectOf<keyof RestartRequest>({
  requestedAt: isNumber,
  isImmediate: isFlag,
  requester: optional(isRequester),
});

export const isSkippedFloor: Shape = objectOf<keyof SkippedFloor>({
  version: isText,
  by: isText,
  because: optional(isText),
  at: isNumber,
});
