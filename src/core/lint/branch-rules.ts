import { constraintIn } from '../plan/possible-versions.ts';
import type { RequiredRow } from '../plan/requirement-outlook.ts';
import { certainTime } from '../releases/certain-time.ts';
import { isPublishedFor } from '../releases/platform.ts';
import { publishTime } from '../releases/publish-time.ts';
import type { Release } from '../releases/release.ts';
import { refusal, resolveChecked, type ResolveInput } from '../releases/resolve.ts';
import type { LintFinding } from './lint-finding.ts';
import type { Prospects } from './prospects.ts';
import type { Subject } from './subject.ts';

/** How long a release may lack the files of a platform: they are often published one after the other. */
const PUBLISHED_WITHIN_MS = 24 * 60 * 60_000;

/** What a constraint and its list say without other rows (D115 to D117). */
export function branchFindings(subject: Subject, prospects: Prospects): LintFinding[] {
  const { release, unreachable } = prospects;
  if (!release && !unreachable) return nothingMatches(subject);
  return [...markedPin(subject, release), ...missingPlatform(subject)];
}

function nothingMatches({ row, input }: Subject): LintFinding[] {
  const resolution = resolveChecked(input.constraint, input.index, input.eligibility);
  return resolution.kind === 'unsatisfied'
    ? [{ kind: 'nothing-matches', row, unsatisfied: resolution }]
    : [];
}

/** A floating constraint gets another release as soon as there is one, so only a pin is reported (D116). */
function markedPin({ row, input }: Subject, release: Release | undefined): LintFinding[] {
  if (input.constraint.kind !== 'patch' || !release) return [];
  const { version, yanked, deprecated } = release;
  const marks = { yanked, deprecated };
  return (['yanked', 'deprecated'] as const).flatMap((kind): LintFinding[] => {
    const because = marks[kind];
    return because === undefined ? [] : [{ kind, row, input, version, because }];
  });
}

/** The newest release of a branch lacks the platform for longer than publishing may take (D117). */
function missingPlatform({ row, input }: Subject): LintFinding[] {
  const { platform, firstSeen } = input.eligibility;
  const newest = newestOnPlatform(input, undefined);
  if (platform === undefined || !newest?.artifacts) return [];
  const published = [...new Set(newest.artifacts.map((artifact) => artifact.platform))];
  const publishedAt = publishTime(newest, firstSeen);
  if (isPublishedFor(published, platform) || publishedAt === undefined) return [];
  const ageMs = certainTime(input.eligibility) - publishedAt;
  if (!(ageMs > PUBLISHED_WITHIN_MS)) return [];
  const instead = newestOnPlatform(input, platform)?.version;
  const { version } = newest;
  return [{ kind: 'platform-missing', row, version, platform, published, ageMs, instead }];
}

/** The newest release that is refused neither by its list nor by the site or the quarantine; with a platform, that has a file for it. */
function newestOnPlatform(
  { constraint, index, eligibility }: ResolveInput,
  platform: ResolveInput['eligibility']['platform'],
): Release | undefined {
  const { now, changedDigests, refuse, quarantine } = eligibility;
  const terms = { now, changedDigests, refuse, quarantine, platform };
  const input = { constraint, index, eligibility: terms };
  for (const release of index.candidates(constraint)) {
    if (!refusal(input, release)) return release;
  }
  return undefined;
}

/** `0.*` passes from 0.4 to 0.5, which may break as a new major version does (D117). */
export function zeroMajor(row: RequiredRow, release: Release | undefined): LintFinding[] {
  const constraint = constraintIn(row.decision.input.requirement);
  if (constraint?.kind !== 'major' || constraint.major !== 0) return [];
  return [{ kind: 'zero-major', row, minor: release?.version.minor }];
}
