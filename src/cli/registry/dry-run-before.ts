import type { ModuleId } from '../../core/index.ts';
import type { PublishedBefore } from '../../site/published-before.ts';
import { NEVER_CHANGES } from '../../site/remote-registry.ts';

/** What is tried. */
interface Tried {
  readonly moduleId: ModuleId;
  readonly count: number;
  /** Over HTTP, releases are sent one by one, up to the first that is refused; into a file, all or none. */
  readonly isRemote: boolean;
  readonly isSigned: boolean;
}

const MOST_NAMED = 3;
const NOTHING = 'nothing would change';
const OTHERWISE = 'other content would be refused';

/** What of a publication is published already, and what would come of it (D465). */
export function beforeAsNotes(
  before: readonly PublishedBefore[],
  { moduleId, count, isRemote, isSigned }: Tried,
): { readonly json: object; readonly notes: readonly string[] } {
  const of = (content: PublishedBefore['content']): PublishedBefore[] =>
    before.filter((one) => one.content === content);
  const others = of('other');
  const [other] = others;
  const isPublished = !other && (before.length < count || count === 0);
  const where = isRemote && count > 1 ? ` from ${other?.version} on` : '';
  return {
    json: {
      ...(before.length > 0 && { already_published: before.map(({ version }) => version) }),
      ...(other && { other_content: others.map(({ version }) => version) }),
    },
    notes: [
      `nothing was changed${isPublished ? `; so much of ${moduleId} would be published` : ''}`,
      ...line(of('same'), isSigned ? 'only signatures that it lacks would be added' : NOTHING),
      ...line(of('signatures'), 'only signatures would be added'),
      ...line(of('yank'), 'the publication would only yank'),
      ...line(of('unknown'), `the same content would change nothing, and ${OTHERWISE}`),
      ...(other ? [`the publication would be refused${where}: ${refusalOf(moduleId, other)}`] : []),
      ...(other ? [`hint: ${NEVER_CHANGES}`] : []),
    ],
  };
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

function refusalOf(moduleId: ModuleId, { version, found }: PublishedBefore): string {
  return found ?? `${moduleId} ${version} is already published with different content`;
}
