import type { Context, Hono } from 'hono';
import type { NotSaved, Saving } from '../../../site/served-documents.ts';
import type { Frame } from '../../frame.tsx';
import { asBadField, asPageProblem, type PageProblem } from '../../page-problem.ts';
import { statusOf } from '../../problem-answer.ts';
import { fieldOf, formOf } from '../../request-input.ts';
import { authorOf } from '../author.ts';
import { answered, type PagedSite } from '../site-answer.ts';
import { DocumentsView, RevisionView, StaleView } from '../views/site-documents.tsx';
import { machinePath } from '../views/site-words.tsx';
import { VersionTypesView } from '../views/version-types.tsx';

interface Pages {
  readonly site: PagedSite;
  readonly frame: Frame;
}

const DOCUMENTS = '/machines/:id/documents';
const VERSION = '/machines/:id/modules/:name/version';

/** The documents that the registry serves to a machine, their history, and the version types of a module (D322, D323). */
export function addDocumentRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  const pages = { site, frame };
  app.get(DOCUMENTS, async (c) => {
    const machine = c.req.param('id');
    const documents = await answered(() => site.documents(machine));
    if (!documents.ok) return await frame.failed(c, documents.error);
    const shown = { view: site, title: `Documents of ${machine}`, tab: '/' };
    const view = <DocumentsView documents={documents.value} now={site.now()} />;
    return await frame.page(c, shown, view);
  });
  app.get(`${DOCUMENTS}/:revision`, async (c) => {
    const machine = c.req.param('id');
    const revision = await answered(() => site.revision(machine, numberIn(c)));
    if (!revision.ok) return await frame.failed(c, revision.error);
    const shown = { view: site, title: `Revision ${c.req.param('revision')}`, tab: '/' };
    const view = <RevisionView shown={revision.value} now={site.now()} />;
    return await frame.page(c, shown, view);
  });
  app.post(`${DOCUMENTS}/:revision/restore`, async (c) =>
    saved(c, pages, async (saving) => await site.restore(c.req.param('id'), numberIn(c), saving)),
  );
  addVersionRoutes(app, pages);
}

function addVersionRoutes(app: Hono, pages: Pages): void {
  const { site, frame } = pages;
  app.get(VERSION, async (c) => {
    const { id, name } = c.req.param();
    const types = await answered(() => site.versionTypes(id, name));
    if (!types.ok) return await frame.failed(c, types.error);
    const shown = { view: site, title: `Change ${name} of ${id}`, tab: '/' };
    return await frame.page(c, shown, <VersionTypesView types={types.value} />);
  });
  app.post(VERSION, async (c) =>
    saved(c, pages, async (saving, form) => {
      const { id, name } = c.req.param();
      const version = fieldOf(form, 'version') ?? '';
      return await site.changeVersion(id, { name, version }, saving);
    }),
  );
}

function numberIn(c: Context): number {
  const text = c.req.param('revision') ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Saves what a form says, and leads to the page of the machine; or says why nothing was saved. */
export async function saved(
  c: Context,
  { site, frame }: Pages,
  save: (saving: Saving, form: URLSearchParams) => ReturnType<PagedSite['restore']>,
): Promise<Response> {
  const form = await formOf(c);
  if (!form.ok) return await frame.failed(c, form.error);
  const basedOn = form.value.get('based_on') ?? '';
  const saving = {
    basedOn: /^\d{1,9}$/.test(basedOn) ? Number(basedOn) : 0,
    reason: fieldOf(form.value, 'reason') ?? '',
    by: authorOf(c),
  };
  const machine = c.req.param('id') ?? '';
  const done = await answered(async () => ({ ok: true, value: await save(saving, form.value) }));
  if (!done.ok) return await frame.failed(c, done.error);
  if (done.value.ok) return c.redirect(machinePath(machine), 303);
  const { error } = done.value;
  const { since } = error;
  if (!since) return await frame.failed(c, [problemOf(error)]);
  c.status(statusOf([problemOf(error)]));
  const asked = { path: c.req.path, fields: [...form.value] };
  const view = <StaleView machine={machine} problem={problemOf(error)} {...{ asked, since }} />;
  return await frame.page(c, { view: site, title: 'Conflict', tab: '/' }, view);
}

function problemOf({ problem }: NotSaved): PageProblem {
  return asBadField(asPageProblem(problem));
}
