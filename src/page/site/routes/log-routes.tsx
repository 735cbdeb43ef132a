import type { Context, Hono } from 'hono';
import type { Frame } from '../../frame.tsx';
import { logFilterIn, wantedLogs } from '../log-filter.ts';
import { answered, type PagedSite } from '../site-answer.ts';
import { SiteLogsView } from '../views/site-logs.tsx';

/** The pages of what machines logged: of one, and of all; also as text (D320). */
export function addLogRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  for (const path of ['/logs', '/machines/:id/logs']) {
    app.get(path, async (c) => await shown(c, site, frame));
    app.get(`${path}.txt`, async (c) => await text(c, site, frame));
  }
}

async function shown(c: Context, site: PagedSite, frame: Frame): Promise<Response> {
  const filter = logFilterIn(c);
  const wanted = wantedLogs(filter, site.now());
  if (!wanted.ok) return await frame.failed(c, wanted.error);
  const found = await answered(() => site.logs(wanted.value));
  if (!found.ok) return await frame.failed(c, found.error);
  const isNewest = filter.before === undefined;
  const page = {
    view: site,
    title: filter.machine === undefined ? 'Logs' : `Logs of ${filter.machine}`,
    tab: filter.machine === undefined ? '/logs' : '/',
    live: isNewest ? ('regular' as const) : undefined,
  };
  const view = <SiteLogsView found={found.value} filter={filter} now={site.now()} />;
  return await frame.page(c, page, view);
}

async function text(c: Context, site: PagedSite, frame: Frame): Promise<Response> {
  const filter = logFilterIn(c);
  const wanted = wantedLogs(filter, site.now());
  if (!wanted.ok) return await frame.failed(c, wanted.error);
  const found = await answered(() => site.logText(wanted.value));
  if (!found.ok) return await frame.failed(c, found.error);
  const name = (filter.machine ?? 'machines').replaceAll(/[^\w.-]/g, '_');
  return c.text(found.value, {
    headers: { 'content-disposition': `attachment; filename="${name}-log.txt"` },
  });
}
