import { keyOf, type Ledger, type Target } from './ledger.ts';

/** A restart that an operator requested. */
export interface SeenRequest {
  readonly moduleId: string;
  readonly at: number;
  readonly isImmediate: boolean;
  /** Why the restart failed, which ended the request. */
  failure: string | undefined;
}

/** The open request of a target. One for a different module under the same name does not count. */
export function requestFor({ requests }: Ledger, target: Target): SeenRequest | undefined {
  const request = requests.get(keyOf(target));
  const isOpen = request?.moduleId === target.moduleId && request.failure === undefined;
  return isOpen ? request : undefined;
}

/** An action of a target ended its request: something restarted, or could not be restarted because of `failure`. (D41) */
export function endRequest(
  { requests }: Ledger,
  target: Target,
  failure: string | undefined,
): void {
  const request = requests.get(keyOf(target));
  if (request?.moduleId !== target.moduleId) return;
  if (failure === undefined) requests.delete(keyOf(target));
  else request.failure = failure;
}

/** A restart that failed is over: another version is deployed since, or this one works. (D485) */
export function endFailedRestart({ requests }: Ledger, target: Target): void {
  if (requests.get(keyOf(target))?.failure !== undefined) requests.delete(keyOf(target));
}
