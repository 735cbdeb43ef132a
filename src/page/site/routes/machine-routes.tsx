import type { Context, Hono } from 'hono';
import { UNHEARD } from '../../../server/fleet/presence.ts';
import type { PageSearch } from '../../../site/machines.ts';
import type { Frame } from '../../frame.tsx';
import { answered, type PagedSite } from '../site-answer.ts';
import { MachineView } from '../views/machine-view.tsx';
import { machinePath } from '../views/site-words.tsx';
import { isForAll, MachinesView } from '../views/machines-view.tsx';

/** The pages of all machines, and of each. */
export function addMachineRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  app.get('/', async (c) => {
    const search = searchIn(c, site.now());
    const page = await answered(() => site.machines(search));
    if (!page.ok) return await frame.failed(c, page.error);
    const isWhole = isForAll(search) && search.after === '';
    const wall = isWhole ? await answered(() => site.wall()) : undefined;
    if (wall?.ok === false) return await frame.failed(c, wall.error);
    const windows = isWhole ? await answered(() => site.nextWindows()) : undefined;
    if (windows?.ok === false) return await frame.failed(c, windows.error);
    const shown = { view: site, title: 'Machines', tab: '/' };
    const waiting = { wall: wall?.value, windows: windows?.value };
    const given = { page: page.value, search, ...waiting, now: site.now() };
    const view = <MachinesView {...given} />;
    return await frame.page(c, shown, view);
  });
  app.get('/machines/:id', async (c) => {
    const id = c.req.param('id');
    const machine = await answered(() => site.machine(id));
    // One that has never reported may have documents (D453).
    if (!machine.ok && (await hasDocuments(site, id))) {
      return c.redirect(`${machinePath(id)}/documents`, 303);
    }
    if (!machine.ok) return await frame.failed(c, machine.error);
    const shown = { view: site, title: id, tab: '/', live: 'regular' } as const;
    return await frame.page(c, shown, <MachineView machine={machine.value} now={site.now()} />);
  });
}

async function hasDocuments(site: PagedSite, id: string): Promise<boolean> {
  const documents = await answered(() => site.documents(id));
  return documents.ok && documents.value.newest > 0;
}

const CONDITIONS = ['failing', 'stuck', 'behind', 'wrong clock', 'retired'] as const;

/** What the address asks for. What is not understood is left out. */
function searchIn(c: Context, now: number): PageSearch {
  const { condition, after = '' } = c.req.query();
  const text = (name: string): string | undefined => c.req.query(name)?.trim() || undefined;
  const presence = UNHEARD.find((one) => one === condition);
  return {
    id: text('id'),
    module: text('module'),
    version: text('version'),
    group: text('group'),
    condition: CONDITIONS.find((one) => one === condition),
    unheard: presence && { presence, now },
    isRefusing: condition === 'refusing',
    after,
  };
}
