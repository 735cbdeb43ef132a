import type { Hono } from 'hono';
import type { PagedMachine } from '../paged-machine.ts';

/** The JSON API. Its documents are those of the command line. */
export function addApiRoutes(app: Hono, machine: PagedMachine): void {
  app.get('/v1/machine', async (c) => {
    const view = await machine.view();
    if (!view.ok) return c.json({ problems: view.error }, 500);
    const { plan, status } = view.value.documents;
    const text = `{"schema":"modreg/machine@1","plan":${plan},"status":${status}}`;
    return c.body(text, { headers: { 'content-type': 'application/json' } });
  });
}
