import { quote, excerpt } from '../../core/text/quote.ts';
import { describeTime, type TimeContext } from '../../core/text/time-words.ts';
import { holdEndText } from '../../host/requests/hold-words.ts';
import type { HoldInForce } from '../../host/requests/holds.ts';
import { columnsOf } from '../base/columns.ts';

export const HOLDS_HEAD = 'Held by operators (modreg unhold [MODULE] ends a hold):';

const HEADS = ['HELD', 'BY', 'SINCE', 'UNTIL', 'WHY'];

/** The lines of the table of holds; none if nothing is held. */
export function holdsTable(
  holds: readonly HoldInForce[],
  { times, columns }: { readonly times: TimeContext; readonly columns: number | undefined },
): string[] {
  if (holds.length === 0) return [];
  const cells = holds.map((hold) => [
    hold.label,
    excerpt(hold.by),
    describeTime(hold.since, times),
    holdEndText(hold, times),
    quote(hold.because),
  ]);
  const line = columnsOf(HEADS, cells, columns);
  return [...line(HEADS), ...cells.flatMap(line)];
}
