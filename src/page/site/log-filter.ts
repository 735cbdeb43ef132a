import type { Context } from 'hono';
import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import { askedTime } from '../../host/asked-time.ts';
import { SEVERITIES, type Severity } from '../../logs/log-record.ts';
import type { WantedLogs } from '../../site/stored-logs.ts';
import { refused, type PageProblem } from '../page-problem.ts';

/** What a person asks of the lines, as it stands in the address. */
export interface LogFilter {
  readonly machine: string | undefined;
  readonly module: string | undefined;
  readonly level: Severity | undefined;
  readonly text: string | undefined;
  readonly since: string | undefined;
  readonly before: number | undefined;
}

/** What the address asks for. A level or a place that is not understood is left out. */
export function logFilterIn(c: Context): LogFilter {
  const { level, before = '' } = c.req.query();
  const text = (name: string): string | undefined => c.req.query(name)?.trim() || undefined;
  return {
    machine: c.req.param('id'),
    module: text('module'),
    level: SEVERITIES.find((one) => one === level),
    text: text('text'),
    since: text('since'),
    before: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
  };
}

/** The lines that a filter asks for, or what is wrong with its time. */
export function wantedLogs(
  { since: sinceText, ...filter }: LogFilter,
  now: number,
): Result<WantedLogs, PageProblem[]> {
  const since = sinceText === undefined ? undefined : askedTime(sinceText, now);
  if (since?.ok === false) {
    const expected = 'expected a time such as -2h, yesterday or 2026-11-22T06:00:00Z';
    return refused('BAD_FIELD', `since is ${quote(sinceText ?? '')}, ${expected}`);
  }
  return { ok: true, value: { ...filter, since: since?.value } };
}
