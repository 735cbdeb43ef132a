import { textOf } from './machine-page.ts';
import type { TestSite } from './site-page.ts';

/** The page of edits of a machine. */
export const EDIT = '/machines/rover-7/edit';

/** The lines of the page with the difference that a form makes. */
export async function previewed(
  { app }: TestSite,
  form: string,
  fields: Readonly<Record<string, string>>,
): Promise<string[]> {
  return await textOf(app, `${EDIT}/${form}?${new URLSearchParams(fields).toString()}`);
}
