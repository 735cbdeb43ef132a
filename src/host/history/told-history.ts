import { shownWord } from '../../core/plan/waiting-for-age.ts';
import { compareVersions, parseVersion } from '../../core/index.ts';
import { staysAt } from '../../core/explanation/decision-words.ts';
import { loggedWords } from '../../core/plan/logged-decisions.ts';
import { type Said, wordsOf } from '../../core/text/time-words.ts';
import type { PastDecision, RecordedDecision } from '../../store/decision-history.ts';
import { causesOf } from './decision-causes.ts';

/** A decision of the history in words. */
export interface ToldDecision {
  readonly past: PastDecision;
  /** What happened, in the past tense: `upgraded 1.2.3 → 1.2.9`. */
  readonly event: string;
  /** What made the decision replace the one before it; empty if nothing is certain. */
  readonly causes: readonly string[];
}

/** The decisions of a history, the oldest first, in words. */
export function toldHistory(history: readonly PastDecision[]): ToldDecision[] {
  return history.map((past, place) => {
    const before = history[place - 1];
    const causes = before ? causesOf(before, past) : [];
    const isRepeated = isDecidedBefore(past.first, history.slice(0, place));
    const event = isRepeated
      ? `still decided to ${changeWords(past.first)}`
      : eventOf(past.first, history.slice(place + 1));
    return { past, event, causes };
  });
}

/** The reason of a decision without what stays, which the event says. */
export function reasonAlone(decision: RecordedDecision): Said {
  const { facts, times } = wordsOf(loggedWords(decision));
  const [first = '', ...rest] = facts;
  return { facts: [first.replace(staysAt(decision.deployed), ''), ...rest], times };
}

const DONE: Readonly<Record<string, string>> = {
  install: 'installed',
  upgrade: 'upgraded',
  downgrade: 'downgraded',
  rollback: 'rolled back',
};

/** What happened, as far as `later`, the decisions after it, show it. */
function eventOf(decision: RecordedDecision, later: readonly PastDecision[]): string {
  const { decision: word, deployed, target } = decision;
  switch (word) {
    case 'stuck':
      return shownWord(decision);
    case 'hold':
      return deployed === target
        ? `held the restart of ${target}`
        : `held the ${directionOf(decision)} ${changeOf(decision)}`;
    case 'local':
    case 'disabled':
      return 'made no decision';
    case 'up-to-date':
    case 'ahead':
      return `stayed at ${deployed}`;
    default: {
      const next = later.map(({ first }) => first).find((one) => one.deployed !== deployed);
      const done = next?.deployed === target ? DONE[word] : undefined;
      return done === undefined
        ? `decided to ${changeWords(decision)}`
        : `${done} ${changeOf(decision)}`;
    }
  }
}

/** Whether the same replacement was due before and is still not made. A hold after its delivery is no end of it. */
function isDecidedBefore(
  { decision: word, deployed, target }: RecordedDecision,
  earlier: readonly PastDecision[],
): boolean {
  const since = earlier.findLastIndex(
    ({ first }) => first.deployed !== deployed || first.target !== target,
  );
  return (
    DONE[word] !== undefined &&
    earlier.slice(since + 1).some(({ first }) => first.decision === word)
  );
}

/** `upgrade 1.2.3 → 1.2.9`. */
function changeWords(decision: RecordedDecision): string {
  const { decision: word, target } = decision;
  if (word === 'restart') return `restart ${target}`;
  return `${word === 'rollback' ? 'roll back' : word} ${changeOf(decision)}`;
}

/** `1.2.3 → 1.2.9`, or `1.2.9` if nothing was deployed. */
function changeOf({ deployed, decision: word, target = 'nothing' }: RecordedDecision): string {
  if (deployed !== 'none') return `${deployed} → ${target}`;
  return word === 'rollback' ? `to ${target}` : target;
}

/** The direction of a held replacement. Text that is not a version cannot be compared, and counts as lower. */
function directionOf({ deployed, target }: RecordedDecision): string {
  if (deployed === 'none') return 'install';
  const [from, to] = [parseVersion(deployed), parseVersion(target)];
  const isLower = from.ok && to.ok && compareVersions(to.value, from.value) < 0;
  return isLower ? 'downgrade' : 'upgrade';
}
