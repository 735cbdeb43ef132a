import type { Hono } from 'hono';
import { quote } from '../../core/text/quote.ts';
import type { Frame } from '../frame.tsx';
import { moduleRows } from '../module-row.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { shownOf } from '../shown.tsx';
import { ModulesView } from '../views/modules-view.tsx';
import { ModuleView } from '../views/module-view.tsx';
import { TargetNotesView } from '../views/target-notes.tsx';
import { pathOf } from './action-routes.tsx';
import { nameIn } from './change-api-routes.ts';

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
    const named = c.req.param('name');
    const row = moduleRows(view.value).find(({ name }) => name === named);
    if (!row) {
      // A subsystem, or a module that the config had, has a history only.
      const past = machine.history(named);
      if (past.ok && past.value.length > 0)
        return c.redirect(`/history?module=${encodeURIComponent(named)}`, 302);
      const message = `machine.json has no module entry ${quote(named)}`;
      return frame.failed(c, [{ code: 'UNKNOWN_REFERENCE', message }], 404);
    }
    // A module that no agent has decided on yet has no history.
    const past = machine.history(row.name);
    const entries = past.ok ? past.value : [];
    const shown = { view: view.value, title: row.label, tab: '/', live: 'page' } as const;
    return frame.page(c, shown, <ModuleView row={row} view={view.value} entries={entries} />);
  });
  app.get('/modules/:name/notes', async (c) => {
    const notes = await machine.notes(nameIn(c));
    if (!notes.ok) return frame.failed(c, notes.error);
    const { moduleId, version } = notes.value;
    const shown = { view: machine, title: `Notes of ${moduleId} ${version}`, tab: '/' };
    return frame.page(c, shown, <TargetNotesView shown={notes.value} module={pathOf(c)} />);
  });
  app.post('/look', async (c) => {
    const looked = await machine.look();
    return looked.ok ? c.redirect('/', 303) : frame.failed(c, looked.error);
  });
}
