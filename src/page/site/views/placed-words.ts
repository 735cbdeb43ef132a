import { fitted } from '../../../core/explanation/headline.ts';
import { shownDecision } from '../../../core/explanation/shown-decision.ts';
import { remedyBy } from '../../../core/plan/remedy.ts';
import { stateOf } from '../../../core/plan/row-state.ts';
import { excerpt } from '../../../core/text/quote.ts';
import { passing, say, type Said, type TimeContext } from '../../../core/text/time-words.ts';
import type { ShownPlacedModule } from '../../../site/machines.ts';
import type { CardRow } from '../../card-row.ts';
import { remedyWords } from '../../remedy-words.ts';

type PlacedWords = Pick<
  CardRow,
  | 'state'
  | 'deployed'
  | 'target'
  | 'isChange'
  | 'latest'
  | 'headline'
  | 'nextChange'
  | 'remedy'
  | 'warnings'
  | 'reasons'
  | 'times'
>;

/** What a report without facts does not say of a module. */
const UNREPORTED = { open: undefined, isFailing: false, isUnfit: false } as const;

/** What a card says of a module of which only the decision is known (D413). */
export function placedWords(module: ShownPlacedModule, times: TimeContext): PlacedWords {
  const { decision, reason, target, heldBy, stuckBy, deployed } = module;
  const isRestart = target === deployed;
  const facts = {
    ...UNREPORTED,
    code: decision === 'hold' ? heldBy : stuckBy,
    isRestart,
    isYanked: false,
    canGoBack: true,
  };
  const words = excerpt(reason ?? '');
  const headline = fitted({ fact: headlineOf(module) });
  return {
    state: stateOf({ word: shownDecision(decision), ...UNREPORTED }),
    deployed: excerpt(deployed),
    target: excerpt(target ?? '-'),
    isChange: target !== undefined && !isRestart,
    latest: undefined,
    headline,
    nextChange: undefined,
    remedy: remedyWords(remedyBy(facts)),
    warnings: [],
    reasons: reason === undefined || words === headline ? [] : [words],
    times,
  };
}

function headlineOf(module: ShownPlacedModule): string {
  const { decision, reason, heldBy, target, deployed } = module;
  const to = excerpt(target ?? 'a release');
  switch (decision) {
    case 'stuck':
      return excerpt(reason ?? 'nothing can be selected');
    case 'hold':
      return `${to} waits${heldBy === undefined ? '' : `: ${excerpt(heldBy).replaceAll('-', ' ')}`}`;
    case 'up-to-date':
      return `${excerpt(deployed)} is up to date`;
    case 'ahead':
      return `${excerpt(deployed)} stays, nothing newer`;
    case 'local':
      return 'local module';
    case 'disabled':
      return 'disabled';
    case 'restart':
      return 'restart is due';
    default:
      return `${excerpt(decision)} to ${to} is due`;
  }
}

/** `1.3.0 failed: the disk is full · again in 5 min`. */
export function failingHeadline({
  version,
  reason,
  next_at: next,
}: NonNullable<ShownPlacedModule['failing']>): Said {
  const at = next === null ? Number.NaN : Date.parse(next);
  return fitted({
    fact: `${excerpt(version)} failed`,
    because: reason ?? undefined,
    outcome: Number.isNaN(at) ? undefined : say`again ${passing(at)}`,
  });
}
