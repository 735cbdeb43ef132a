import type { Result } from '../../core/index.ts';
import type { PageProblem } from '../../page/page-problem.ts';
import type { MachineFile } from '../../store/index.ts';
import { printedCode } from '../../base/codes.ts';
import { usingFile } from '../../host/open-state.ts';
import type { Outcome, Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

/** A problem of the command line for the page. Of a document with errors, it says what the machine keeps (T215). */
export function asPageProblem({ kind, message, because, hint, document }: Problem): PageProblem {
  const kept = document === undefined ? '' : KEPT;
  return { code: printedCode(kind), message: message + kept, because: because ?? [], hint };
}

const KEPT = '; an agent that runs keeps the last one without errors';

/** The refusal with one problem that only the page has. */
export function refused(
  code: string,
  message: string,
  more: Pick<PageProblem, 'because' | 'hint'> = {},
): { readonly ok: false; readonly error: PageProblem[] } {
  return { ok: false, error: [{ code, message, ...more }] };
}

/** The result of `work` on machine.db. */
export function inFile<T>(
  world: World,
  mode: 'read' | 'write',
  work: (file: MachineFile) => Result<T, PageProblem[]>,
): Result<T, PageProblem[]> {
  const done = usingFile(world, mode, work);
  return done.ok ? done.value : { ok: false, error: [asPageProblem(done.error)] };
}

/** The same result with a problem of the page. */
export function onPage<T>(result: Result<T, Problem>): Result<T, PageProblem[]> {
  return result.ok ? result : { ok: false, error: [asPageProblem(result.error)] };
}

/** The answer of a command, or its errors. */
export function answerOf({
  answer: [json = ''],
  problems,
}: Outcome): Result<string, PageProblem[]> {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return { ok: true, value: json };
  return { ok: false, error: errors.map(asPageProblem) };
}
