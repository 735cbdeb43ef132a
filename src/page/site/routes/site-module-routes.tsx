import type { Context, Hono } from 'hono';
import { parseModuleId, type ModuleId } from '../../../core/index.ts';
import type { Frame } from '../../frame.tsx';
import { answered, type PagedSite } from '../site-answer.ts';
import { ModuleOutcomesView } from '../views/module-outcomes.tsx';
import { ReleaseNotesView } from '../views/release-notes.tsx';
import { SiteModulesView, SiteModuleView } from '../views/site-modules.tsx';
import { WhatIfView } from '../views/what-if-view.tsx';

type Answer = Response | Promise<Response>;

/** The pages of all modules, of each, of the notes of its releases, of what became of it, and of what a release would do. */
export function addSiteModuleRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  app.get('/modules', async (c) => {
    const after = c.req.query('after') ?? '';
    const page = await answered(() => site.modules(after));
    if (!page.ok) return await frame.failed(c, page.error);
    const shown = { view: site, title: 'Modules', tab: '/modules' };
    return await frame.page(c, shown, <SiteModulesView page={page.value} isFirst={after === ''} />);
  });
  app.get('/modules/:module', (c) =>
    withModule(c, frame, async (moduleId) => {
      const module = await answered(() => site.module(moduleId));
      if (!module.ok) return await frame.failed(c, module.error);
      const shown = { view: site, title: moduleId, tab: '/modules' };
      return await frame.page(c, shown, <SiteModuleView module={module.value} now={site.now()} />);
    }),
  );
  addNotesRoute(app, site, frame);
  app.get('/modules/:module/outcomes', (c) =>
    withModule(c, frame, async (moduleId) => {
      const found = await answered(() => site.outcomes(moduleId));
      if (!found.ok) return await frame.failed(c, found.error);
      const shown = { view: site, title: `Outcomes of ${moduleId}`, tab: '/modules' };
      return await frame.page(
        c,
        shown,
        <ModuleOutcomesView found={found.value} now={site.now()} />,
      );
    }),
  );
  app.get('/modules/:module/what-if', (c) =>
    withModule(c, frame, async (moduleId) => {
      const release = { moduleId, version: c.req.query('version')?.trim() ?? '' };
      const whatIf = await answered(() => site.whatIf(release));
      if (!whatIf.ok) return await frame.failed(c, whatIf.error);
      const shown = { view: site, title: `What if ${release.version}`, tab: '/modules' };
      return await frame.page(c, shown, <WhatIfView release={release} whatIf={whatIf.value} />);
    }),
  );
}

function addNotesRoute(app: Hono, site: PagedSite, frame: Frame): void {
  app.get('/modules/:module/notes', (c) =>
    withModule(c, frame, async (moduleId) => {
      const release = { moduleId, version: c.req.query('version') ?? '' };
      const notes = await answered(() => site.notes(release));
      if (!notes.ok) return await frame.failed(c, notes.error);
      const shown = { view: site, title: `Notes of ${release.version}`, tab: '/modules' };
      return await frame.page(c, shown, <ReleaseNotesView {...{ release, notes: notes.value }} />);
    }),
  );
}

/** Runs `answer` for the module in the address. */
export function withModule(c: Context, frame: Frame, answer: (id: ModuleId) => Answer): Answer {
  const moduleId = parseModuleId(c.req.param('module'));
  if (moduleId.ok) return answer(moduleId.value);
  const { message } = moduleId.error;
  return frame.failed(c, [{ code: 'UNKNOWN_REFERENCE', message }], 404);
}
