import type { Result } from '../../core/index.ts';
import { databaseProblem } from '../../site/catalogue-options.ts';
import type { Site } from '../../site/site.ts';
import type { Answer } from '../../site/site-files.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { asPageProblem, type PageProblem } from '../page-problem.ts';

/** A site on its page. */
export interface PagedSite extends Site {
  /** The name of the site. */
  readonly title: string;
}

const HINTS: Readonly<Partial<Record<DatabaseError['kind'], string>>> = {
  locked: 'another process uses the file: try again',
  unwritable: 'nothing was changed: make the file and its folder writable for the registry',
  missing: 'the registry was moved or removed: start it again',
  'later-schema': 'a later modreg wrote the file: update this one',
};

/** The answer of a site, or why it has none, also if a file cannot be used (T177). */
export async function answered<T>(
  asked: () => Answer<T> | Promise<Answer<T>>,
): Promise<Result<T, PageProblem[]>> {
  try {
    const answer = await asked();
    return answer.ok ? answer : { ok: false, error: [asPageProblem(answer.error)] };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const problem = { ...databaseProblem(error), hint: HINTS[error.kind] };
    return { ok: false, error: [asPageProblem(problem)] };
  }
}
