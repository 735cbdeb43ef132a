import type { Context, Hono } from 'hono';
import { parseDuration } from '../../core/text/duration.ts';
import { SEVERITIES } from '../../logs/log-record.ts';
import type { Frame } from '../frame.tsx';
import type { LogQuery } from '../../host/machine-log.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { HistoryView } from '../views/history-view.tsx';
import { LogsView } from '../views/logs-view.tsx';

/** So many lines of the log are shown at once. */
const LINES = 200;
const LONGEST_TEXT = 200;

/** The pages of what was recorded, which are shown also if nothing can be planned (T173): decisions and logs. */
export function addRecordRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  app.get('/history', async (c) => {
    const entries = machine.history(c.req.query('module'));
    if (!entries.ok) return frame.failed(c, entries.error);
    const view = await machine.view();
    const shown = { view: machine, title: 'History', tab: '/history', live: 'page' } as const;
    return frame.page(c, shown, <HistoryView view={view} entries={entries.value} />);
  });
  app.get('/logs', async (c) => {
    const query = logQuery(c);
    const part = machine.logs(query);
    if (!part.ok) return frame.failed(c, part.error);
    const view = await machine.view();
    const shown = { view: machine, title: 'Logs', tab: '/logs', live: 'log' } as const;
    return frame.page(c, shown, <LogsView view={view} part={part.value} query={query} />);
  });
}

/** What the address asks of the log. What is not understood is left out. */
export function logQuery(c: Context): LogQuery {
  const { module = '', level, after = '', last = '', text = '' } = c.req.query();
  const lastMs = parseDuration(last);
  return {
    count: LINES,
    module: module === '' ? undefined : module,
    severity: SEVERITIES.find((one) => one === level),
    lastMs: lastMs.ok ? lastMs.value : undefined,
    text: text === '' ? undefined : text.slice(0, LONGEST_TEXT),
    after: /^\d{1,15}$/.test(after) ? Number(after) : undefined,
  };
}
