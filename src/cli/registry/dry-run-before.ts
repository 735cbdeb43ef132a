import type { ModuleId } from '../../core/index.ts';
import type { Problem } from '../../base/problem.ts';
import type { PublishedBefore, Tried } from '../../site/published-before.ts';
import { NEVER_CHANGES } from '../../site/remote-registry.ts';

/** What is tried. */
interface Trial {
  readonly moduleId: ModuleId;
  readonly count: number;
  /** Over HTTP, releases are sent one by one, up to the first that is refused; into a file, all or none. */
  readonly isRemote: boolean;
  readonly isSigned: boolean;
}

/** What comes of a publication. */
interface Foreseen {
  readonly json: { readonly refused: string | null };
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

const MOST_NAMED = 3;
const NOTHING = 'nothing would change';
const OTHERWISE = 'other content would be refused';

/** What of a publication is published already, and what would come of it (D465). */
export function foreseen(
  { before, failure }: Tried,
  { moduleId, count, isRemote, isSigned }: Trial,
): Foreseen {
  const of = (content: PublishedBefore['content']): PublishedBefore[] =>
    before.filter((one) => one.content === content);
  const others = of('other');
  const [other] = others;
  const where = isRemote && count > 1 ? ` from ${other?.version} on` : '';
  const refused = failure ?? (other && refusalOf(moduleId, other));
  const isPublished = !refused && (before.length < count || count === 0);
  return {
    json: {
      refused: refused?.message ?? null,
      ...(before.length > 0 && { already_published: before.map(({ version }) => version) }),
      ...(other && { other_content: others.map(({ version }) => version) }),
    },
    notes: [
      `nothing was changed${isPublished ? `; so much of ${moduleId} would be published` : ''}`,
      ...line(of('same'), isSigned ? 'only signatures that it lacks would be added' : NOTHING),
      ...line(of('signatures'), 'only signatures would be added'),
      ...line(of('yank'), 'the publication would only yank'),
      ...line(of('unknown'), `the same content would change nothing, and ${OTHERWISE}`),
    ],
    problems: refused ? [asForeseen(refused, where)] : [],
  };
}

/** The problem that the publication would have. */
function asForeseen(problem: Problem, where: string): Problem {
  const isRefused = problem.kind === 'already-published' || problem.kind === 'registry-refused';
  const what = isRefused ? 'be refused' : 'fail';
  return { ...problem, message: `the publication would ${what}${where}: ${problem.message}` };
}

function line(published: readonly PublishedBefore[], what: string): string[] {
  if (published.length === 0) return [];
  const versions = published.map(({ version }) => version);
  const rest = versions.length - MOST_NAMED;
  const more = rest > 0 ? ` and ${rest} more` : '';
  const isSame = published[0]?.content !== 'unknown';
  const head = isSame ? 'published already with the same content' : 'published already';
  return [`${head}: ${versions.slice(0, MOST_NAMED).join(', ')}${more}; ${what}`];
}

function refusalOf(moduleId: ModuleId, { version, found }: PublishedBefore): Problem {
  const message = found ?? `${moduleId} ${version} is already published with different content`;
  return { severity: 'error', kind: 'already-published', message, hint: NEVER_CHANGES };
}
