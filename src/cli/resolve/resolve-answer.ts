import type { ReleaseList } from '../../registry/registry.ts';
import { explain, formatConstraint, type ModuleId, type Resolution } from '../../core/index.ts';
import { newerWords } from '../../core/explanation/newer-words.ts';
import { complaintOf } from '../../core/explanation/complaint.ts';
import { describeChosen, describeConstraint } from '../../core/explanation/words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { textOf } from '../../core/text/time-words.ts';
import { distTagsOf, latestOf, type Answered } from '../../host/resolution-document.ts';
import { listWarnings, releaseWarnings } from '../../host/list-warnings.ts';
import { complaintProblem, type Problem } from '../../base/problem.ts';

/** One line for a person: the selected release, why, why newer ones are refused, and the `latest` one. */
export function summarize(
  moduleId: ModuleId,
  resolution: Resolution & { readonly kind: 'resolved' },
): string {
  const { release, input } = resolution;
  const { constraint } = input;
  const newer = newerWords(resolution, release.version);
  const why = [
    `${constraint.kind}: ${describeChosen(resolution)}`,
    ...(newer === undefined ? [] : [textOf(newer)]),
    `latest is ${latestOf(input) ?? 'none'}`,
  ].join('; ');
  const selected = `${formatConstraint(constraint)} → ${release.version.text}`;
  return `${moduleId} ${selected}   (${why})`;
}

/** The answer, with the result for each entry of the list. */
export function explainAnswer(
  { moduleId, list, resolution, machine }: Answered,
  { all }: { readonly all: boolean },
): string[] {
  const { constraint, index, eligibility } = resolution.input;
  const text = formatConstraint(constraint);
  const selected = resolution.kind === 'resolved' ? resolution.release.version.text : 'none';
  const { platform = 'any', notAfter } = eligibility;
  const entries = index.published === 1 ? 'entry' : 'entries';
  return [
    `${moduleId}  ${text}  →  ${selected}`,
    '',
    `  constraint   ${text}  ${describeConstraint(constraint)}`,
    `  platform     ${platform}`,
    ...(machine === undefined
      ? []
      : [`  machine      what this one refuses for ${excerpt(machine)}`]),
    ...(notAfter === undefined ? [] : [`  as of        ${formatTime(notAfter)}`]),
    `  list         ${index.published} ${entries} from ${list.from}${asOf(list)}`,
    ...distTagsLine(list),
    '',
    ...explain(resolution, { all, more: ' (--all)' }).map((line) => `  ${line}`),
  ];
}

/** The dist-tags of npm, which are no constraints; nothing without them. */
function distTagsLine(list: ReleaseList): string[] {
  const tags = Object.entries(distTagsOf(list)).map(([tag, version]) => `${tag} ${version}`);
  return tags.length === 0
    ? []
    : [`  dist-tags    ${excerpt(tags.join(', '))}; they select nothing`];
}

/** When a network registry last confirmed the list; empty for other lists. */
function asOf({ source, fetchedAt }: ReleaseList): string {
  const isRemote = source === 'network' || source === 'saved';
  const how = source === 'saved' ? 'saved' : 'confirmed';
  return isRemote && fetchedAt !== undefined ? `, ${how} ${formatTime(fetchedAt)}` : '';
}

/** The error if no release matches, and the warnings about the release and the list. */
export function problemsOf({ moduleId, list, resolution }: Answered): Problem[] {
  return [
    ...(resolution.kind === 'unsatisfied'
      ? [complaintProblem(complaintOf(resolution, moduleId))]
      : releaseWarnings(moduleId, resolution)),
    ...listWarnings(moduleId, list, resolution.input.index),
  ];
}
