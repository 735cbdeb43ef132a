import type { Hono } from 'hono';
import type { Frame } from '../../frame.tsx';
import { answered, type PagedSite } from '../site-answer.ts';
import { CHANGED } from '../../../site/change-history.ts';
import { ChangesView } from '../views/site-changes.tsx';

/** The page of what was changed, of all machines or of one, and who did it why (D324). */
export function addChangeRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  app.get('/changes', async (c) => {
    const machine = c.req.query('machine')?.trim() || undefined;
    const places = CHANGED.flatMap((kind) => {
      const text = c.req.query(kind) ?? '';
      return /^\d{1,15}$/.test(text) ? [[kind, Number(text)] as const] : [];
    });
    const before = Object.fromEntries(places);
    const page = await answered(() => site.changes({ machine, before }));
    if (!page.ok) return await frame.failed(c, page.error);
    const title = machine === undefined ? 'Changes' : `Changes of ${machine}`;
    const shown = { view: site, title, tab: machine === undefined ? '/changes' : '/' };
    const view = <ChangesView page={page.value} machine={machine} now={site.now()} />;
    return await frame.page(c, shown, view);
  });
}
