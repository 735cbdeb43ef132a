import type { Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { labelFor } from '../../host/machine-row.ts';
import type { Frame } from '../frame.tsx';
import type { PageProblem } from '../page-problem.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { fieldOf, formOf, termIn } from '../request-input.ts';
import { QuarantineView } from '../views/quarantine-view.tsx';
import { RestartView, RollbackView } from '../views/restart-view.tsx';
import { nameIn } from './change-api-routes.ts';

/** The pages that say what a restart, a rollback or a quarantine does, and their forms (T137). */
export function addActionRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  const page = (c: Context, title: string, content: Child) =>
    frame.page(c, { view: machine, title, tab: '/' }, content);
  const failed = (c: Context, problems: readonly PageProblem[]) => frame.failed(c, problems);
  addRestartRoutes(app, machine, { page, failed });
  addRollbackRoutes(app, machine, { page, failed });
  addQuarantineRoutes(app, machine, { page, failed });
}

interface Pages {
  readonly page: (c: Context, title: string, content: Child) => Response | Promise<Response>;
  readonly failed: Frame['failed'];
}

function addRestartRoutes(app: Hono, machine: PagedMachine, { page, failed }: Pages): void {
  app.get('/modules/:name/restart', async (c) => {
    const isImmediate = c.req.query('now') !== undefined;
    const preview = await machine.previewRestart(nameIn(c), { isImmediate });
    if (!preview.ok) return failed(c, preview.error);
    const shown = { module: pathOf(c), isImmediate, preview: preview.value };
    return page(c, `Restart ${labelFor(preview.value.row)}`, <RestartView {...shown} />);
  });
  app.post('/modules/:name/restart', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return failed(c, form.error);
    const wish = {
      isImmediate: form.value.has('now'),
      deployed: form.value.get('deployed') ?? '',
      by: fieldOf(form.value, 'by'),
    };
    const done = await machine.restart(nameIn(c), wish);
    return done.ok ? c.redirect(pathOf(c), 303) : failed(c, done.error);
  });
  app.post('/modules/:name/restart/cancel', async (c) => {
    const done = await machine.cancelRestart(nameIn(c));
    return done.ok ? c.redirect(pathOf(c), 303) : failed(c, done.error);
  });
}

function addRollbackRoutes(app: Hono, machine: PagedMachine, { page, failed }: Pages): void {
  app.get('/modules/:name/rollback', async (c) => {
    const text = c.req.query('for')?.trim() ?? '';
    const term = termIn(text || undefined);
    if (!term.ok) return failed(c, term.error);
    const preview = await machine.previewRollback(nameIn(c), { termMs: term.value });
    if (!preview.ok) return failed(c, preview.error);
    const shown = { module: pathOf(c), term: text, preview: preview.value };
    return page(c, `Roll back ${labelFor(preview.value.row)}`, <RollbackView {...shown} />);
  });
  app.post('/modules/:name/rollback', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return failed(c, form.error);
    const term = termIn(fieldOf(form.value, 'for'));
    if (!term.ok) return failed(c, term.error);
    const seen = { deployed: form.value.get('deployed') ?? '', to: form.value.get('to') ?? '' };
    const by = fieldOf(form.value, 'by');
    const done = await machine.rollBack(nameIn(c), { termMs: term.value, ...seen, by });
    return done.ok ? c.redirect(pathOf(c), 303) : failed(c, done.error);
  });
}

function addQuarantineRoutes(app: Hono, machine: PagedMachine, { page, failed }: Pages): void {
  app.get('/quarantine', async (c) => {
    const [list, view] = await Promise.all([machine.quarantine(), machine.view()]);
    if (!list.ok) return failed(c, list.error);
    const modules = view.ok ? view.value.plan.modules.map(({ moduleId }) => moduleId) : [];
    const shown = {
      list: list.value,
      modules: [...new Set(modules)],
      chosen: c.req.query('module'),
    };
    return page(c, 'Quarantine', <QuarantineView {...shown} />);
  });
  app.post('/quarantine', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return failed(c, form.error);
    const term = termIn(fieldOf(form.value, 'for'));
    if (!term.ok) return failed(c, term.error);
    const done = await machine.quarantineVersion({
      module: fieldOf(form.value, 'module') ?? '',
      version: fieldOf(form.value, 'version') ?? '',
      reason: fieldOf(form.value, 'reason'),
      termMs: term.value,
    });
    return done.ok ? c.redirect('/quarantine', 303) : failed(c, done.error);
  });
  app.post('/quarantine/lift', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return failed(c, form.error);
    const done = await machine.liftQuarantine({
      moduleId: fieldOf(form.value, 'module_id') ?? '',
      version: fieldOf(form.value, 'version') ?? '',
      since: form.value.get('since') ?? '',
    });
    return done.ok ? c.redirect('/quarantine', 303) : failed(c, done.error);
  });
}

/** The address of the page of the module in the address. */
export function pathOf(c: Context): string {
  return `/modules/${encodeURIComponent(nameIn(c))}`;
}
