import type { Context, Hono } from 'hono';
import type { FC } from 'hono/jsx';
import { EDITS, editIn, type EditForm } from '../edit-form.ts';
import type { Frame } from '../frame.tsx';
import { asBadField, type PageProblem } from '../page-problem.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { statusOf } from '../problem-answer.ts';
import { formOf } from '../request-input.ts';
import { Changes } from '../views/config-view.tsx';
import { EditPreviewView, EditView, type Mistyped } from '../views/edit-view.tsx';
import { Problems } from '../views/modules-view.tsx';

const EDIT = '/edit';

/** Edits of the machine config and the policy: small forms, what each changes, and saving it (D416). */
export function addEditRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  app.get(EDIT, async (c) => await editPage(c, { machine, frame }));
  const preview = previewing(machine, frame);
  for (const form of EDITS) {
    app.get(`${EDIT}/${form}`, (c) => preview(c, form, new URL(c.req.url).searchParams));
    app.post(`${EDIT}/${form}`, async (c) => {
      const fields = await formOf(c);
      if (!fields.ok) return frame.failed(c, fields.error);
      const edit = editIn(form, fields.value);
      if (!edit.ok) return frame.failed(c, edit.error);
      const saved = machine.saveEdit(edit.value, fields.value.get('etag') ?? '');
      if (saved.ok) return c.redirect(EDIT, 303);
      const problems = saved.error.map(asBadField);
      if (problems[0]?.code !== 'CHANGED_MEANWHILE') return frame.failed(c, problems);
      c.status(statusOf(problems));
      return preview(c, form, fields.value, problems);
    });
  }
}

/** The page of all forms, with what was typed into one of them that is no edit (D453). */
async function editPage(
  c: Context,
  { machine, frame }: { readonly machine: PagedMachine; readonly frame: Frame },
  mistyped?: Mistyped,
): Promise<Response> {
  const editable = machine.editable();
  if (!editable.ok) return frame.failed(c, editable.error);
  if (mistyped) c.status(statusOf(mistyped.problems));
  const shown = { view: machine, title: 'Edit', tab: '/config' };
  return frame.page(
    c,
    shown,
    <EditView path={EDIT} editable={editable.value} moduleIds={[]} mistyped={mistyped}>
      <Warnings machine={machine} />
      <p>
        <a href="/config">The whole machine config as text</a>
      </p>
    </EditView>,
  );
}

/** What saving means on a machine that follows a site (D454). */
const Warnings: FC<{ readonly machine: PagedMachine }> = ({ machine }) => (
  <Problems problems={machine.editWarnings()} />
);

type Preview = (
  c: Context,
  form: EditForm,
  fields: URLSearchParams,
  problems?: readonly PageProblem[],
) => Promise<Response>;

/** The page of what an edit would change in the documents as they are now. */
function previewing(machine: PagedMachine, frame: Frame): Preview {
  return async (c, form, fields, problems = []) => {
    const edit = editIn(form, fields);
    const mistyped = async (wrong: readonly PageProblem[]): Promise<Response> =>
      await editPage(c, { machine, frame }, { form, fields, problems: wrong });
    if (!edit.ok) return await mistyped(edit.error);
    const previewed = await machine.previewEdit(edit.value);
    if (!previewed.ok) return await mistyped(previewed.error.map(asBadField));
    const { lines, etag, changes } = previewed.value;
    const sent = [...fields].filter(([name]) => name !== 'etag');
    const shown = { view: machine, title: 'Edit', tab: '/config' };
    return frame.page(
      c,
      shown,
      <>
        <Problems problems={problems} />
        <EditPreviewView path={EDIT} {...{ form, lines }} fields={[...sent, ['etag', etag]]}>
          <Warnings machine={machine} />
          {changes === undefined ? null : <Changes changes={changes} />}
        </EditPreviewView>
      </>,
    );
  };
}
