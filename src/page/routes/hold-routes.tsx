import type { Hono } from 'hono';
import type { Frame } from '../frame.tsx';
import type { PagedMachine } from '../paged-machine.ts';
import { fieldOf, formOf } from '../request-input.ts';
import { HoldView } from '../views/hold-view.tsx';

/** The page of holds, and its forms (D75). */
export function addHoldRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  app.get('/holds', async (c) => {
    const [list, view] = await Promise.all([machine.holds(), machine.view()]);
    if (!list.ok) return frame.failed(c, list.error);
    const modules = view.ok ? view.value.plan.modules.map(({ name }) => name) : [];
    const shown = { list: list.value, modules, chosen: c.req.query('module') };
    return frame.page(c, { view: machine, title: 'Holds', tab: '/' }, <HoldView {...shown} />);
  });
  app.post('/holds', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return frame.failed(c, form.error);
    const done = await machine.setHold({
      named: fieldOf(form.value, 'module'),
      for: fieldOf(form.value, 'for'),
      until: fieldOf(form.value, 'until'),
      reason: fieldOf(form.value, 'reason') ?? '',
      by: fieldOf(form.value, 'by') ?? '',
    });
    return done.ok ? c.redirect('/holds', 303) : frame.failed(c, done.error);
  });
  app.post('/holds/end', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return frame.failed(c, form.error);
    const since = form.value.get('since') ?? '';
    const done = await machine.endHold({ named: fieldOf(form.value, 'module'), since });
    return done.ok ? c.redirect('/holds', 303) : frame.failed(c, done.error);
  });
}
