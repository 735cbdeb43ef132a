import { branchOf, formatConstraint, isInBranch, type Constraint } from '../version/constraint.ts';
import { firstFew } from '../text/few.ts';
import type { RefusedPin, RefusedRelease } from '../releases/refusal.ts';
import { publishTime } from '../releases/publish-time.ts';
import { resolve, type ResolveInput, type Unsatisfied } from '../releases/resolve.ts';
import { comparePrecedence, compareVersions } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';
import { say, type Said } from '../text/time-words.ts';
import { refusalWords } from './words.ts';

/** Why a constraint selects no release, for people: escaped lines without indentation. */
export interface Complaint {
  readonly kind: 'no-match' | 'pin-not-published' | RefusedPin['reason'];
  readonly message: Said;
  readonly because: readonly Said[];
  /** How many refused releases `because` leaves out. */
  readonly unnamed: number;
  readonly hint: string | undefined;
}

/** The maximum number of refused releases that are named. */
const NAMED = 3;

/** Why `moduleId` has no release for the constraint, and which releases it has instead (D5, D20, D30). */
export function complaintOf(unsatisfied: Unsatisfied, moduleId: string): Complaint {
  const { input } = unsatisfied;
  const { constraint } = input;
  if (constraint.kind !== 'patch') {
    const inBranch = [...unsatisfied.refused()].filter(
      (refused): refused is RefusedRelease =>
        refused.reason !== 'not-a-version' && isInBranch(constraint, refused.release.version),
    );
    return noMatchComplaint(input, moduleId, inBranch);
  }
  const { refusedPin } = unsatisfied;
  return refusedPin
    ? refusedPinComplaint(input, moduleId, refusedPin)
    : unpublishedPinComplaint(input, moduleId, constraint.version);
}

function noMatchComplaint(
  input: ResolveInput,
  moduleId: string,
  inBranch: readonly RefusedRelease[],
): Complaint {
  const { constraint } = input;
  const text = formatConstraint(constraint);
  const named = inBranch.slice(0, NAMED).map((refused) => {
    return say`${refused.release.version.text}: ${refusalWords(refused, constraint)}`;
  });
  return {
    kind: 'no-match',
    message: `no release of ${moduleId} matches ${text}`,
    because:
      inBranch.length === 0
        ? [emptyBranch(input)]
        : [`every version that ${text} covers is refused`, ...named],
    unnamed: inBranch.length - named.length,
    hint: selections([{ kind: 'latest' }, { kind: 'latest-with-prerelease' }], input),
  };
}

/** Which releases exist, although none is in the branch. */
function emptyBranch({ constraint, index, eligibility }: ResolveInput): string {
  if (index.published === 0) return 'the list is empty';
  const [newest] = index.releases();
  if (!newest) return `none of the ${index.published} entries is a version`;
  const latest = resolve({ kind: 'latest' }, index, eligibility);
  const found =
    latest.kind === 'resolved'
      ? `the newest release is ${latest.release.version.text}`
      : 'no release matches latest either';
  const branch = branchOf(constraint);
  return branch === undefined
    ? found
    : `${formatConstraint(constraint)} needs ${branch}, and ${found}`;
}

function refusedPinComplaint(input: ResolveInput, moduleId: string, pinned: RefusedPin): Complaint {
  const words = refusalWords(pinned, input.constraint);
  const subject = `${moduleId} ${pinned.release.version.text}`;
  return {
    kind: pinned.reason,
    message:
      pinned.reason === 'not-yet-published'
        ? say`${subject} is ${words}`
        : say`${subject} is published but refused: ${words}`,
    because: [],
    unnamed: 0,
    hint: selectionsNear(pinned.release.version, input),
  };
}

function unpublishedPinComplaint(input: ResolveInput, moduleId: string, pin: Version): Complaint {
  const { notAfter = Infinity, firstSeen } = input.eligibility;
  const versions = [...input.index.releases()]
    .filter((release) => (publishTime(release, firstSeen) ?? -Infinity) <= notAfter)
    .map(({ version }) => version);
  const lower = versions.find((version) => compareVersions(version, pin) < 0);
  const higher = versions.findLast((version) => compareVersions(version, pin) > 0);
  const builds = versions.filter((version) => comparePrecedence(version, pin) === 0);
  return {
    kind: 'pin-not-published',
    message: `${moduleId} ${pin.text} is not published`,
    because: [describeBuilds(builds) ?? nearestTo(lower, higher) ?? emptyBranch(input)],
    unnamed: 0,
    hint: selectionsNear(pin, input),
  };
}

/** The published builds of a pin, none of which it accepts (D35). */
function describeBuilds(builds: readonly Version[]): string | undefined {
  if (builds.length === 0) return undefined;
  const texts = builds.map(({ text }) => text);
  const all = firstFew(texts, NAMED).join(', ');
  return `published with the same numbers: ${all}; a pin accepts only its exact text`;
}

function nearestTo(lower: Version | undefined, higher: Version | undefined): string | undefined {
  if (lower && higher) return `the nearest published versions are ${lower.text} and ${higher.text}`;
  const only = lower ?? higher;
  return only && `the nearest published version is ${only.text}`;
}

/** What the operator could write instead of a pin to such a version; undefined if nothing is selected. */
export function selectionsNear({ major, minor }: Version, input: ResolveInput): string | undefined {
  return selections([{ kind: 'minor', major, minor }, { kind: 'latest' }], input);
}

/** What the operator could write instead of the constraint: `1.2.* selects 1.2.9; latest selects 2.0.1`. */
function selections(constraints: readonly Constraint[], input: ResolveInput): string | undefined {
  const lines = constraints.flatMap((constraint) => {
    const resolution = resolve(constraint, input.index, input.eligibility);
    if (resolution.kind === 'unsatisfied') return [];
    return [`${formatConstraint(constraint)} selects ${resolution.release.version.text}`];
  });
  return lines.length === 0 ? undefined : lines.join('; ');
}
