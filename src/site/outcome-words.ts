import { excerpt } from '../core/text/quote.ts';
import { countOf } from '../base/count.ts';
import type { OutcomeGroup } from '../registry/fleet-documents.ts';
import { blameWords } from './failing-words.ts';

const WORDS = {
  running: 'runs',
  failed: 'failed',
  undecided: 'failed',
  retrying: 'is tried again',
  'rolled-back': 'was rolled back',
} as const;
const BLAMES: Partial<Record<OutcomeGroup['outcome'], string>> = {
  failed: 'release',
  undecided: 'undecided',
  retrying: 'machine',
};

/** `failed on 2 machines because of the release`. */
export function outcomeWords({ outcome, machines }: OutcomeGroup): string {
  const blame = BLAMES[outcome];
  const why = blame === undefined ? '' : ` ${blameWords(blame)}`;
  return `${WORDS[outcome]} on ${countOf(machines, 'machine')}${why}`;
}

/** `linux/arm64, group canary`. */
export function whereWords({ platform, group }: OutcomeGroup): string {
  const inGroup = group === null ? 'no group' : `group ${group}`;
  return excerpt(`${platform ?? 'unknown platform'}, ${inGroup}`);
}

/** So many machines are named. */
const NAMED = 3;

/** `rover-1, rover-2, rover-3, 9 more`. */
export function namedMachines(names: readonly string[], machines: number): string {
  const named = names.slice(0, NAMED).map((name) => excerpt(name));
  const rest = machines - named.length;
  return (rest > 0 ? [...named, `${rest} more`] : named).join(', ');
}
