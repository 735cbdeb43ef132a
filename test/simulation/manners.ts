import type { Chance } from './chance.ts';
import type { WireList } from './published.ts';

/** How a registry behaves. */
export type Manner =
  /** Returns its current lists. */
  | 'honest'
  /** Returns its lists as they were when this began. */
  | 'frozen'
  /** Returns earlier lists with their generations. */
  | 'rolled-back'
  /** Returns different lists under the current generation. */
  | 'two-faced'
  /** Returns fewer releases than its count states. */
  | 'truncating'
  /** Returns numbers after which no others can follow. */
  | 'fast-forward'
  /** Returns responses that are not release lists. */
  | 'junk'
  /** Returns 429 or 5xx with a Retry-After header. */
  | 'busy'
  /** Returns 401 or 403. */
  | 'refusing'
  /** Returns 404 for every module. */
  | 'forgetful';

export const MANNERS: readonly Manner[] = [
  ...(['frozen', 'rolled-back', 'two-faced', 'truncating'] as const),
  ...(['junk', 'busy', 'refusing', 'forgetful', 'fast-forward'] as const),
];

/** Whether a client may accept and save what is returned. */
export function isLie(manner: Manner): boolean {
  return manner === 'two-faced' || manner === 'rolled-back';
}

/** The list without one of its releases, with a matching count. */
export function fewer(
  { releases }: WireList,
  chance: Chance,
): Pick<WireList, 'releases' | 'count'> {
  const place = chance.below(Math.max(1, releases.length));
  const rest = releases.filter((_, at) => at !== place);
  return { releases: rest, count: rest.length };
}
