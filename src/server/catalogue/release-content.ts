import { MOST_SIGNATURES } from '../../registry/formats/signatures-field.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { ReleaseRow } from './module-row.ts';
import type { PublishedRelease } from './published-release.ts';

/** The content of a release as text, without its version, publish time and yank: what a second publication must match, but for its signatures. */
export function contentOf(release: PublishedRelease): string {
  const { artifacts, deprecated, requires, floor, signatures: signed } = release;
  const inOrder = artifacts?.toSorted((a, b) => (a.platform < b.platform ? -1 : 1));
  return JSON.stringify({
    artifacts: inOrder?.map(({ platform, url, digest, size }) => ({ platform, url, digest, size })),
    deprecated: deprecated ?? null,
    requires,
    floor,
    signatures: signed,
  });
}

/** Whether a release that is stored is published again as it is, whatever its signatures; a dry run compares in the same way (D465). */
export function isSameRelease(
  before: Pick<ReleaseRow, 'content' | 'published_at'>,
  release: PublishedRelease,
): boolean {
  const { publishedAt = before.published_at } = release;
  return hasContent(before, release) && before.published_at === publishedAt;
}

/** One that was deprecated since is published again without that (D96). */
function hasContent({ content }: Pick<ReleaseRow, 'content'>, release: PublishedRelease): boolean {
  if (content === contentOf(release)) return true;
  const stored = fieldsIn(content);
  const deprecated =
    release.deprecated ??
    (typeof stored?.['deprecated'] === 'string' ? stored['deprecated'] : undefined);
  const { signatures: _, yank_signatures: _yank, ...rest } = stored ?? {};
  return JSON.stringify(rest) === contentOf({ ...release, deprecated, signatures: undefined });
}

/** Why the stored release is deprecated; null if it is not, and undefined if its content is damaged. */
export function deprecationIn(content: string): string | null | undefined {
  const fields = fieldsIn(content);
  if (!fields) return undefined;
  return typeof fields['deprecated'] === 'string' ? fields['deprecated'] : null;
}

/** The signatures of a publication that the stored release, if there is one, does not have. */
export function newSignatures(
  before: Pick<ReleaseRow, 'content'> | undefined,
  { signatures: added = {} }: PublishedRelease,
): Readonly<Record<string, string>> {
  const known = before ? signaturesIn(before) : {};
  return Object.fromEntries(Object.entries(added).filter(([id, text]) => known[id] !== text));
}

/** The signatures of a stored release with those of a publication; undefined if it has them already, or would have too many (D135). */
export function moreSignatures(
  before: ReleaseRow,
  release: PublishedRelease,
): Readonly<Record<string, string>> | undefined {
  const added = newSignatures(before, release);
  const all = { ...signaturesIn(before), ...added };
  const isMore = Object.keys(added).length > 0;
  return isMore && Object.keys(all).length <= MOST_SIGNATURES ? all : undefined;
}

function signaturesIn({ content }: Pick<ReleaseRow, 'content'>): Readonly<Record<string, string>> {
  return Object(fieldsIn(content)?.['signatures']) as Readonly<Record<string, string>>;
}

/** Adds signatures to a stored release. */
export function setSignatures(
  sql: Statements,
  { id }: ReleaseRow,
  signatures: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify(signatures);
  sql.run(
    "UPDATE releases SET content = json_set(content, '$.signatures', json(?)) WHERE id = ?",
    text,
    id,
  );
}

/** Signatures in base64, by the ids of their keys. */
export type Signatures = Readonly<Record<string, string>>;

/** The signatures of the yank (D166) of a release that is yanked for `reason`, with those that `added` has; undefined if these are no more. */
export function moreYankSignatures(
  { yanked, content }: ReleaseRow,
  reason: string | null,
  added: Signatures = {},
): Signatures | undefined {
  const known = yanked === reason ? Object(fieldsIn(content)?.['yank_signatures']) : {};
  const all: Signatures = { ...known, ...added };
  const isMore = Object.entries(added).some(([id, text]) => known[id] !== text);
  return isMore && Object.keys(all).length <= MOST_SIGNATURES ? all : undefined;
}

/** Replaces the signatures of a yank. Content without them is not touched: it may be damaged. */
export function setYankSignatures(
  sql: Statements,
  { id }: ReleaseRow,
  signatures: Signatures | undefined,
): void {
  const text = signatures && JSON.stringify(signatures);
  sql.run(
    `UPDATE releases SET content = iif(?1 IS NULL, json_remove(content, '$.yank_signatures'),
       json_set(content, '$.yank_signatures', json(?1)))
     WHERE id = ?2 AND (?1 IS NOT NULL OR instr(content, '"yank_signatures"') > 0)`,
    text ?? null,
    id,
  );
}

/** The fields of a stored release; undefined if they are damaged. */
function fieldsIn(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    // A cast: only the types of single fields are looked at.
    return Object(JSON.parse(content)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
