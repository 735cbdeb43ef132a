import type { Requester, RestartRequest } from '../decision/restart-request.ts';
import type { UpgradeRequest } from '../decision/upgrade-request.ts';
import { excerpt, quote } from '../text/quote.ts';
import { passing, say, type Said } from '../text/time-words.ts';

/** The restart that an operator requested (D41). */
export function requestWords(request: RestartRequest): Said {
  return say`${requestedRestart(request)} at ${passing(request.requestedAt)}${whyWords(request.requester)}`;
}

/** Who requested a restart (D424). */
export function requestedRestart({ isImmediate, requester }: RestartRequest): string {
  return `${whoWords(requester)} requested ${isImmediate ? 'an immediate restart' : 'a restart'}`;
}

/** `rolled back by an operator`, or by whom and why. */
export function rolledBackWords(requester: Requester | undefined): string {
  return `rolled back by ${whoWords(requester)}${whyWords(requester)}`;
}

/** Who requested something. */
export function whoWords(requester: Requester | undefined): string {
  return requester ? excerpt(requester.by) : 'an operator';
}

/** Why, if that is known. */
function whyWords(requester: Requester | undefined): string {
  return requester?.because === undefined ? '' : `: ${quote(requester.because)}`;
}

/** The replacement at once that an operator requested: who, when, over which vetoes, and why (D76). */
export function upgradeRequestWords({ requestedAt, by, because, despite }: UpgradeRequest): Said {
  const vetoes = despite.map((veto) => quote(veto.said ?? veto.by)).join(' and ');
  const over = vetoes === '' ? '' : `, despite ${vetoes}`;
  const why = whyWords({ by, because });
  return say`requested at once by ${excerpt(by)} at ${passing(requestedAt)}${over}${why}`;
}
