import type { Context, Hono } from 'hono';
import { EDITS, editIn, type EditForm } from '../../edit-form.ts';
import type { Frame } from '../../frame.tsx';
import { asBadField, type PageProblem } from '../../page-problem.ts';
import { statusOf } from '../../problem-answer.ts';
import { EditPreviewView, EditView, type Mistyped } from '../../views/edit-view.tsx';
import { answered, type PagedSite } from '../site-answer.ts';
import { ReasonField } from '../views/site-documents.tsx';
import { machinePath } from '../views/site-words.tsx';
import { saved } from './document-routes.tsx';

const EDIT = '/machines/:id/edit';

/** Edits of the documents that the registry serves to a machine: small forms, what each changes, and saving it (D416). */
export function addEditRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  app.get(EDIT, async (c) => await editPage(c, { site, frame }));
  for (const form of EDITS) addForm(app, form, { site, frame });
}

interface Pages {
  readonly site: PagedSite;
  readonly frame: Frame;
}

/** The page of all forms, with what was typed into one of them that is no edit (D453). */
async function editPage(
  c: Context,
  { site, frame }: Pages,
  mistyped?: Mistyped,
): Promise<Response> {
  const machine = c.req.param('id') ?? '';
  const editable = await answered(() => site.editable(machine));
  if (!editable.ok) return await frame.failed(c, editable.error);
  if (mistyped) c.status(statusOf(mistyped.problems));
  const { revision, fragments, moduleIds } = editable.value;
  const shown = { view: site, title: `Edit ${machine}`, tab: '/' };
  return await frame.page(
    c,
    shown,
    <EditView path={pathOf(c)} editable={editable.value} moduleIds={moduleIds} mistyped={mistyped}>
      <p>
        Of <a href={machinePath(machine)}>{machine}</a>, in revision {revision} of its documents.
        {fragments.length === 0
          ? ''
          : ' Entries and terms of its fragments are not shown here.'}{' '}
        Where these documents set no windows, days or age, those of its fragments and of the
        machine's own policy count; the first that is set here takes their place.
      </p>
    </EditView>,
  );
}

function addForm(app: Hono, form: EditForm, { site, frame }: Pages): void {
  app.get(`${EDIT}/${form}`, async (c) => {
    const query = new URL(c.req.url).searchParams;
    const edit = editIn(form, query);
    const mistyped = async (problems: readonly PageProblem[]): Promise<Response> =>
      await editPage(c, { site, frame }, { form, fields: query, problems });
    if (!edit.ok) return await mistyped(edit.error);
    const machine = c.req.param('id');
    const preview = await answered(() => site.previewEdit(machine, edit.value));
    if (!preview.ok) return await mistyped(preview.error.map(asBadField));
    const { lines, need, revision, warnings } = preview.value;
    const typed = [...query].filter(([name]) => name !== 'based_on' && name !== 'reason');
    const fields = [...typed, ['based_on', `${revision}`] as const];
    const shown = { view: site, title: `Edit ${machine}`, tab: '/' };
    return await frame.page(
      c,
      shown,
      <EditPreviewView path={pathOf(c)} {...{ form, lines, fields }} more={<ReasonField />}>
        {warnings.map((one) => (
          <p class="warning">{one}</p>
        ))}
        <p class={need.kind === 'needed' ? 'warning' : undefined}>{need.words}</p>
      </EditPreviewView>,
    );
  });
  app.post(`${EDIT}/${form}`, async (c) =>
    saved(c, { site, frame }, async (saving, fields) => {
      const edit = editIn(form, fields);
      if (edit.ok) return await site.saveEdit(c.req.param('id'), edit.value, saving);
      const [{ message } = { message: 'it cannot be read' }] = edit.error;
      return { ok: false, error: { problem: { severity: 'error', kind: 'usage', message } } };
    }),
  );
}

function pathOf(c: Context): string {
  return `${machinePath(c.req.param('id') ?? '')}/edit`;
}
