import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { PlanRow } from '../../core/plan/plan.ts';
import { decisionWords } from '../../core/explanation/decision-words.ts';
import { headlineText } from '../../core/explanation/headline.ts';
import { failureWords, rowHeadline } from '../../core/plan/open-action-words.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { firstFew } from '../../core/text/few.ts';
import { joined } from '../../core/text/time-words.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Failing } from '../../host/recent-failures.ts';

interface ShownRow {
  /** As commands take it. */
  readonly name: string;
  readonly row: PlanRow;
  readonly open: OpenAction | undefined;
  readonly failing: Failing | undefined;
}

/** What a reason begins with that the versions of a row say, too. */
const KNOWN = 'not deployed yet; '.length;

/** Whether the reason of a row says more than its headline (D411). Of what fails, the command that shows the log says why. */
export function isShortened({ row, open, failing }: ShownRow, now: number): boolean {
  if (failing) return false;
  const { decision } = row;
  const reason = headlineText(joined([failureWords(open), decisionWords(decision)], '; '), now);
  const isInstall = replacementOf(decision)?.direction === 'install';
  return reason.length - (isInstall ? KNOWN : 0) > headlineText(rowHeadline(row, open), now).length;
}

const NAMED = 3;

/** Where the complete reasons of these rows are; `least` is the width that shows them, if no command does. */
export function completeReasons(rows: readonly ShownRow[], least: number | undefined): string[] {
  const [one, other] = rows;
  if (!one) return [];
  if (least !== undefined) return [`  Complete reasons: in a terminal of ${least} columns.`];
  if (!other) return [`  Complete reason: modreg why ${shellWord(one.name)}`];
  const names = rows.map(({ name }) => shellWord(name));
  return [`  Complete reasons: modreg why MODULE (${firstFew(names, NAMED).join(', ')})`];
}
