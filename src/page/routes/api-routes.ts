import type { Hono } from 'hono';
import { resolutionDocument } from '../../host/resolution-document.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { documentAnswer, problemAnswer } from '../problem-answer.ts';
import { historyDocument, logDocument } from '../record-documents.ts';
import { logQuery } from './record-routes.tsx';

/** The JSON API. Its documents are those of the command line. */
export function addApiRoutes(app: Hono, machine: PagedMachine): void {
  app.get('/v1/machine', async () => {
    const view = await machine.view();
    if (!view.ok) return problemAnswer(view.error);
    const { plan, status } = view.value.documents();
    return documentAnswer({ schema: 'modreg/machine@1', plan, status });
  });
  app.get('/v1/modules/:name/explain', async (c) => {
    const explained = await machine.explain(c.req.param('name'));
    if (!explained.ok) return problemAnswer(explained.error);
    return documentAnswer(resolutionDocument(explained.value, { withRefused: true }));
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
  app.post('/v1/look', async (c) => {
    const looked = await machine.look();
    return looked.ok ? c.body(null, 204) : problemAnswer(looked.error);
  });
  app.get('/v1/openapi.json', async (c) => c.json((await import('../openapi.ts')).PAGE_OPENAPI));
}
