import {
  formatConstraint,
  type Constraint,
  type ModuleId,
  type Refused,
  type Resolution,
} from '../core/index.ts';
import { describeRefused } from '../core/explanation/words.ts';
import { publishedText } from '../core/releases/refusal.ts';
import { newestPublished, type ResolveInput } from '../core/releases/resolve.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import type { ReleaseList } from '../registry/registry.ts';

/** The list of a module, and the resolution of a constraint on it. */
export interface Answered {
  readonly moduleId: ModuleId;
  readonly list: ReleaseList;
  readonly resolution: Resolution;
  /** The module entry of this machine, whose refusals apply too; undefined without --machine. */
  readonly machine: string | undefined;
}

/** The answer as JSON, schema `modreg/resolve@1`, with `refused` if `withRefused`. */
export function resolutionDocument(
  { moduleId, list, resolution }: Answered,
  { withRefused }: { readonly withRefused: boolean },
): object {
  const { constraint, eligibility } = resolution.input;
  const { notAfter } = eligibility;
  const document = {
    schema: 'modreg/resolve@1',
    module_id: moduleId,
    constraint: formatConstraint(constraint),
    type: constraint.kind,
    platform: eligibility.platform ?? null,
    at: notAfter === undefined ? null : formatTime(notAfter),
    version: resolution.kind === 'resolved' ? resolution.release.version.text : null,
    latest: latestOf(resolution.input) ?? null,
    list: listAsJson(list),
  };
  if (!withRefused) return document;
  const refused = refusedAsJson(resolution.refused(), constraint);
  const tags = distTagsOf(list);
  return { ...document, ...(Object.keys(tags).length > 0 && { dist_tags: tags }), refused };
}

/** The newest release of the constraint `latest`, whatever is refused. */
export function latestOf({ index, eligibility }: ResolveInput): string | undefined {
  return newestPublished({ kind: 'latest' }, index, eligibility)?.text;
}

/** The version of each dist-tag of npm. */
export function distTagsOf({ records }: ReleaseList): Readonly<Record<string, string>> {
  const tags = Array.from(records, ({ version, distTags = [] }) =>
    distTags.map((tag): [string, string] => [tag, version]),
  );
  return Object.fromEntries(tags.flat());
}

/** Where a list is from, as JSON. */
export function listAsJson({ source, fetchedAt, stale }: ReleaseList): object {
  const fetched_at = fetchedAt === undefined ? null : formatTime(fetchedAt);
  return { source, fetched_at, stale: stale !== undefined };
}

/** Refused releases with their reasons, as JSON. */
export function refusedAsJson(refused: Iterable<Refused>, constraint: Constraint): object[] {
  return Array.from(refused, (one) => ({
    version: publishedText(one),
    reason: one.reason,
    detail: describeRefused(one, constraint),
  }));
}
