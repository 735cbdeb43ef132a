import type { Hono } from 'hono';
import type { PagedMachine } from '../paged-machine.ts';
import { problemAnswer } from '../problem-answer.ts';
import { historyDocument, logDocument } from '../record-documents.ts';
import { logQuery } from './record-routes.tsx';

/** The JSON API. Its documents are those of the command line. */
export function addApiRoutes(app: Hono, machine: PagedMachine): void {
  app.get('/v1/machine', async (c) => {
    const view = await machine.view();
    if (!view.ok) return problemAnswer(view.error);
    const { plan, status } = view.value.documents;
    const text = `{"schema":"modreg/machine@1","plan":${plan},"status":${status}}`;
    return c.body(text, { headers: { 'content-type': 'application/json' } });
  });
  app.get('/v1/modules/:name/explain', async (c) => {
    const explained = await machine.explain(c.req.param('name'));
    if (!explained.ok) return problemAnswer(explained.error);
    return c.body(explained.value, { headers: { 'content-type': 'application/json' } });
  });
  app.get('/v1/history', (c) => {
    const entries = machine.history(c.req.query('module'));
    if (!entries.ok) return problemAnswer(entries.error);
    return c.json(historyDocument(entries.value));
  });
  app.get('/v1/logs', (c) => {
    const part = machine.logs(logQuery(c));
    if (!part.ok) return problemAnswer(part.error);
    return c.json(logDocument(part.value));
  });
  app.get('/v1/openapi.json', async (c) => c.json((await import('../openapi.ts')).PAGE_OPENAPI));
}
