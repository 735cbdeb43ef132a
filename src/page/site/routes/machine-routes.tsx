import type { Context, Hono } from 'hono';
import type { MachineSearch } from '../../../server/fleet/site-queries.ts';
import type { Frame } from '../../frame.tsx';
import type { PagedSite } from '../paged-site.ts';
import { MachineView } from '../views/machine-view.tsx';
import { MachinesView } from '../views/machines-view.tsx';

/** The pages of all machines, and of each. */
export function addMachineRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  app.get('/', (c) => {
    const search = searchIn(c);
    const page = site.machines(search);
    if (!page.ok) return frame.failed(c, page.error);
    const shown = { view: site, title: 'Machines', tab: '/' };
    const view = <MachinesView page={page.value} search={search} now={site.now()} />;
    return frame.page(c, shown, view);
  });
  app.get('/machines/:id', (c) => {
    const id = c.req.param('id');
    const machine = site.machine(id);
    if (!machine.ok) return frame.failed(c, machine.error);
    const shown = { view: site, title: id, tab: '/' };
    return frame.page(c, shown, <MachineView machine={machine.value} now={site.now()} />);
  });
}

/** What the address asks for. What is not understood is left out. */
function searchIn(c: Context): MachineSearch {
  const { condition, after = '' } = c.req.query();
  const text = (name: string): string | undefined => c.req.query(name)?.trim() || undefined;
  return {
    id: text('id'),
    module: text('module'),
    version: text('version'),
    condition: condition === 'stuck' || condition === 'behind' ? condition : undefined,
    after,
  };
}
