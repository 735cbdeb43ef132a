import { complaintOf, selectionsNear } from '../../core/explanation/complaint.ts';
import { requirementText } from '../../core/explanation/plan-words.ts';
import { editWords, requiredText } from '../../core/explanation/requirement-words.ts';
import {
  describeDeprecated,
  describeYanked,
  describeRefused,
} from '../../core/explanation/words.ts';
import type { LintFinding, MissingPlatform, Step } from '../../core/lint/lint-finding.ts';
import { constraintIn } from '../../core/plan/possible-versions.ts';
import type { RequiredRow } from '../../core/plan/requirement-outlook.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { textOf } from '../../core/text/time-words.ts';
import type { CheckedProblem } from '../checked-report.ts';

/** What a finding says, without its place. */
export type Said = Pick<CheckedProblem, 'message' | 'hint'>;

type Of<Kind extends LintFinding['kind']> = Extract<LintFinding, { readonly kind: Kind }>;

/** Why nothing is selected, in one line. */
export function nothingMatchesWords({ row, unsatisfied }: Of<'nothing-matches'>): Said {
  const { message, because, unnamed, hint } = complaintOf(unsatisfied, nameOf(row));
  const lines = because.map((line) => textOf(line));
  const rest = unnamed === 0 ? [] : [`… and ${unnamed} more`];
  const reasons = [...lines, ...rest].join('; ');
  return {
    message: reasons === '' ? textOf(message) : `${textOf(message)}: ${reasons}`,
    // A hint names constraints, which a subsystem does not have.
    hint: row.isSubsystem ? undefined : hint,
  };
}

export function markedPinWords(finding: Of<'yanked' | 'deprecated'>): Said {
  const { kind, row, input, version, because } = finding;
  const mark = kind === 'yanked' ? describeYanked(because) : describeDeprecated(because);
  return {
    message: `the pinned ${nameOf(row)} ${version.text} is ${mark}`,
    hint: row.isSubsystem ? undefined : selectionsNear(version, input),
  };
}

export function missingPlatformWords({ row, ...missing }: Of<'platform-missing'>): Said {
  const { version, platform, published, ageMs, instead }: MissingPlatform = missing;
  const found = excerpt(published.join(', ')) || 'no platform';
  const constraint = excerpt(requirementText(row.decision.input.requirement) ?? '');
  return {
    message: `${version.text}, the newest release of ${nameOf(row)} for ${constraint}, has no file for ${platform}; it was published ${describeDuration(ageMs)} ago for ${found}`,
    hint: `publish its file for ${platform}${instead ? `; until then this machine gets at most ${instead.text}` : ''}`,
  };
}

export function zeroMajorWords({ row, minor }: Of<'zero-major'>): Said {
  const branch = minor === undefined ? '0.Y.*' : `0.${minor}.*`;
  return {
    message: `0.* accepts each new minor version of ${nameOf(row)}, and before 1.0.0 a minor version may break what the last one did`,
    hint: `${branch} stays with one minor version`,
  };
}

export function unreachableWords(finding: Of<'requirement-unreachable'>): Said {
  const { row, version, of, range, edit, refused, isOnly } = finding;
  const constraint = constraintIn(row.decision.input.requirement);
  const only = isOnly ? `no release of ${nameOf(row)} may be selected: ` : '';
  const help =
    refused && constraint
      ? `${refused.version.text} of ${excerpt(of)} would, but this machine refuses it (${describeRefused({ ...refused.against, release: { version: refused.version } }, constraint)})`
      : editWords({ kind: 'requirement-unreachable', version, of, range, edit });
  const name = isOnly ? '' : `${nameOf(row)} `;
  return {
    message: `${only}${name}${version.text} requires ${requiredText({ of, range })}, which nothing on this machine will meet`,
    hint: help,
  };
}

export function cycleWords({ steps }: Of<'requires-cycle'>): Said {
  const names = steps.map((step) => stepWords(step));
  return {
    message: `${names.join(', and ')}: ${steps.length === 2 ? 'neither' : 'none'} can be the first`,
    hint: 'a release of one of them is needed that does not require another of them in turn',
  };
}

export function excludedEntryWords({ row, by, other, ...required }: Of<'excluded-entry'>): Said {
  const { of } = required;
  const constraint = excerpt(requirementText(row.decision.input.requirement) ?? '');
  return {
    message: `${stepWords({ ...required, row: by })} of every entry of ${excerpt(of)}: ${constraint} accepts no such release, while ${excerpt(other.name)} has one`,
    hint: `give both entries a version in this range, or remove one of them`,
  };
}

export function excludingRowsWords({ first, second }: Of<'excluding-rows'>): Said {
  return {
    message: `${stepWords(second)}, and ${stepWords(first)}: no version that this machine may get is in both ranges`,
    hint: 'change the version of one of the two entries',
  };
}

/** What the release of a row requires, with the name of an entry that its module does not tell. */
function stepWords({ row, version, of, range }: Step): string {
  const entry =
    row.isSubsystem || row.name === row.moduleId.replace(':', '_') ? '' : ` (${excerpt(row.name)})`;
  return `${nameOf(row)} ${version.text}${entry} requires ${requiredText({ of, range })}`;
}

function nameOf({ name, moduleId, isSubsystem }: RequiredRow): string {
  return isSubsystem ? name : moduleId;
}
