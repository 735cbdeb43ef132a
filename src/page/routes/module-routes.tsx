import type { Hono } from 'hono';
import type { Frame } from '../frame.tsx';
import { moduleRows } from '../module-row.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { shownOf } from '../shown.tsx';
import { ModulesView } from '../views/modules-view.tsx';
import { ModuleView } from '../views/module-view.tsx';

/** The page of all modules, the page of each, and the form that fetches the lists. */
export function addModuleRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  app.get('/', async (c) => {
    const view = await machine.view();
    if (!view.ok) return frame.failed(c, view.error);
    const shown = { view: view.value, title: view.value.title, tab: '/', live: 'rows' } as const;
    return frame.page(c, shown, <ModulesView shown={shownOf(view.value)} />);
  });
  app.get('/modules/:name', async (c) => {
    const view = await machine.view();
    if (!view.ok) return frame.failed(c, view.error);
    const row = moduleRows(view.value).find(({ name }) => name === c.req.param('name'));
    if (!row) return c.notFound();
    // A module that no agent has decided on yet has no history.
    const past = machine.history(row.name);
    const entries = past.ok ? past.value : [];
    const shown = { view: view.value, title: row.label, tab: '/', live: 'page' } as const;
    return frame.page(c, shown, <ModuleView row={row} view={view.value} entries={entries} />);
  });
  app.post('/look', async (c) => {
    const looked = await machine.look();
    return looked.ok ? c.redirect('/', 303) : frame.failed(c, looked.error);
  });
}
