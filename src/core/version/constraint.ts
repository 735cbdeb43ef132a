import { expectArgument, type Expected } from '../text/argument.ts';
import { parseError, type ParseError, type Misfit } from '../text/parse-error.ts';
import { nearestForm } from './nearest-form.ts';
import type { Result } from '../text/result.ts';
import { isPrerelease, LONGEST_VERSION, readVersion, type Version } from './version.ts';

/** The usual wildcards. 15 digits never exceed 2^53 - 1, so their values need no check. */
const WILDCARD = /^(0|[1-9]\d{0,14})\.(?:(0|[1-9]\d{0,14})\.)?\*$/;
const PLACEHOLDER = /^x\.(y\.)?\*$|^x\.y\.z$/i;

/** Which releases a module entry accepts: one variant per row of "Module version types" in the reference. */
export type Constraint =
  | {
      readonly kind: 'patch';
      /** The pinned version, `X.Y.Z`. Only the release with exactly this text is accepted. */
      readonly version: Version;
    }
  | {
      readonly kind: 'minor';
      /** The X of `X.Y.*`. */
      readonly major: number;
      /** The Y of `X.Y.*`. */
      readonly minor: number;
    }
  | {
      readonly kind: 'major';
      /** The X of `X.*`. */
      readonly major: number;
    }
  | { readonly kind: 'latest' }
  | { readonly kind: 'latest-with-prerelease' };

type Kind = Constraint['kind'];

/** What is particular to one type of constraint. All else in modreg treats the types alike, except that a pin is `patch`. */
interface ConstraintType<C extends Constraint> {
  /** As people write it; a keyword is its own form. */
  readonly form: string;
  /** The fields that a stored constraint has besides its kind. */
  readonly shape: Readonly<Partial<Record<'version' | 'major' | 'minor', 'version' | 'number'>>>;
  readonly acceptsPrereleases: boolean;
  /** The constraint of this type with the numbers of `base`; undefined without a base if the type has numbers. */
  near(base: Version | undefined): C | undefined;
  /** The next wider constraint; undefined if there is none. */
  widens(constraint: C): Constraint | undefined;
  /** Its rule in words. */
  rule(constraint: C): string;
  /** What the release that it selects is, in words. */
  newest(constraint: C): string;
}

/** The types of constraints, from the narrowest to the widest. A keyword comes before the longer one that begins with it. */
export const CONSTRAINTS: { readonly [K in Kind]: ConstraintType<Constraint & { kind: K }> } = {
  patch: {
    form: 'X.Y.Z',
    shape: { version: 'version' },
    acceptsPrereleases: true,
    near: (version) => version && { kind: 'patch', version },
    widens: ({ version }) => CONSTRAINTS.minor.near(version),
    rule: ({ version }) => `${version.text} and no other`,
    newest: () => 'pinned',
  },
  minor: {
    form: 'X.Y.*',
    shape: { major: 'number', minor: 'number' },
    acceptsPrereleases: false,
    near: (base) => base && { kind: 'minor', major: base.major, minor: base.minor },
    widens: ({ major }) => ({ kind: 'major', major }),
    rule: (constraint) => `${branchOf(constraint)}, releases only`,
    newest: ({ major, minor }) => `newest patch of ${major}.${minor}`,
  },
  major: {
    form: 'X.*',
    shape: { major: 'number' },
    acceptsPrereleases: false,
    near: (base) => base && { kind: 'major', major: base.major },
    widens: () => ({ kind: 'latest' }),
    rule: (constraint) => `${branchOf(constraint)}, releases only`,
    newest: ({ major }) => `newest release of ${major}`,
  },
  latest: {
    form: 'latest',
    shape: {},
    acceptsPrereleases: false,
    near: () => ({ kind: 'latest' }),
    widens: () => ({ kind: 'latest-with-prerelease' }),
    rule: () => 'the newest release',
    newest: () => 'newest release',
  },
  'latest-with-prerelease': {
    form: 'latest-with-prerelease',
    shape: {},
    acceptsPrereleases: true,
    near: () => ({ kind: 'latest-with-prerelease' }),
    widens: () => undefined,
    rule: () => 'the newest release or prerelease',
    newest: () => 'newest release or prerelease',
  },
};

/** What is particular to the type of a constraint. */
export function typeOf({ kind }: Constraint): ConstraintType<Constraint> {
  return CONSTRAINTS[kind];
}

/** The numbers that each version has which the constraint accepts. */
export interface Branch {
  readonly kind: Kind;
  readonly major?: number;
  readonly minor?: number;
}

/** The versions of a branch: `1.2.0 ≤ version < 1.3.0`; undefined for a constraint that is none. */
export function branchOf(constraint: Constraint): string | undefined {
  const { major, minor }: Branch = constraint;
  if (major === undefined) return undefined;
  return minor === undefined
    ? `${major}.0.0 ≤ version < ${major + 1}.0.0`
    : `${major}.${minor}.0 ≤ version < ${major}.${minor + 1}.0`;
}

const TYPES: readonly ConstraintType<Constraint>[] = Object.values(CONSTRAINTS);

/** The constraint of each type with the numbers of `base`, from the narrowest; without a base those that have none. */
export function constraintsFor(base: Version | undefined): Constraint[] {
  return TYPES.flatMap((type) => type.near(base) ?? []);
}

/** The constraints that are words. */
const KEYWORDS = constraintsFor(undefined).map(({ kind }) => kind);

const KINDS: ReadonlySet<unknown> = new Set(Object.keys(CONSTRAINTS));

export const CONSTRAINT: Expected = {
  is: (value) => KINDS.has((value as Partial<Constraint> | null | undefined)?.kind),
  words: 'a Constraint of parseConstraint()',
};

/** Why a constraint does not accept a version, eligibility aside. */
export type Mismatch = 'other-major' | 'other-minor' | 'other-version' | 'prerelease';

/**
 * Parses `X.Y.Z` (SemVer text with major, minor and patch up to 2^53 - 1), `X.Y.*`, `X.*`, `latest` or
 * `latest-with-prerelease`, and nothing else: no spaces, no operators, at most 256 characters. Never throws, whatever the
 * argument. The `suggestion` of an error is the nearest constraint (T3, T4).
 *
 * @example
 * ```ts
 * import { parseConstraint } from 'modreg';
 *
 * const constraint = parseConstraint('^1.2.3');
 * if (!constraint.ok) console.log(constraint.error.suggestion); // 1.*
 * ```
 */
export function parseConstraint(text: unknown): Result<Constraint, ParseError<'bad-constraint'>> {
  const read = readConstraint(text);
  if ('kind' in read) return { ok: true, value: read };
  return { ok: false, error: constraintError(text, read) };
}

/**
 * The text that `parseConstraint` parses to `constraint`.
 *
 * @example
 * ```ts
 * import { formatConstraint } from 'modreg';
 *
 * console.log(formatConstraint({ kind: 'minor', major: 1, minor: 2 })); // 1.2.*
 * ```
 */
export function formatConstraint(constraint: Constraint): string {
  expectArgument('formatConstraint()', 'constraint', constraint, CONSTRAINT);
  if (constraint.kind === 'patch') return constraint.version.text;
  const { kind, major, minor }: Branch = constraint;
  return CONSTRAINTS[kind].form.replace('X', `${major}`).replace('Y', `${minor}`);
}

/**
 * Why `constraint` refuses `version`; undefined if it accepts it. A pin accepts exactly its text (D35, which replaced D3). Only a pin and
 * `latest-with-prerelease` accept prereleases (D4). `0.*` is any 0.y.z (D6).
 */
export function mismatch(constraint: Constraint, version: Version): Mismatch | undefined {
  // A list asks for each of its entries, so this is no call of the table.
  switch (constraint.kind) {
    case 'patch':
      return version.text === constraint.version.text ? undefined : 'other-version';
    case 'minor':
      if (version.major !== constraint.major) return 'other-major';
      if (version.minor !== constraint.minor) return 'other-minor';
      return isPrerelease(version) ? 'prerelease' : undefined;
    case 'major':
      if (version.major !== constraint.major) return 'other-major';
      return isPrerelease(version) ? 'prerelease' : undefined;
    case 'latest':
      return isPrerelease(version) ? 'prerelease' : undefined;
    case 'latest-with-prerelease':
      return undefined;
  }
}

/** Whether `version` is in the branch of `constraint`. Only its numbers count, so a prerelease may be. */
export function isInBranch(constraint: Constraint, version: Version): boolean {
  const reason = mismatch(constraint, version);
  return reason === undefined || reason === 'prerelease';
}

function readConstraint(text: unknown): Constraint | Misfit {
  if (text === 'latest' || text === 'latest-with-prerelease') return { kind: text };
  const isBranch = typeof text === 'string' && text.endsWith('*');
  const wildcard = isBranch ? WILDCARD.exec(text) : null;
  if (wildcard) return branchIn(wildcard);
  const version = readVersion(text);
  if ('text' in version) return { kind: 'patch', version };
  if (typeof text !== 'string' || text.length > LONGEST_VERSION) return version;

  const keyword = KEYWORDS.findLast((word) => text.startsWith(word));
  if (keyword !== undefined) return { position: keyword.length, expected: 'the end' };
  if (version.position === 0 && version.expected === 'a number') {
    return { position: 0, expected: 'a number, latest or latest-with-prerelease' };
  }
  // Parsing as a version stops at the wildcard, so the numbers before it are valid.
  const stop = version.position;
  const numbers = /^(\d+)\.(?:(\d+)\.)?$/.exec(text.slice(0, stop));
  if (!numbers) return version;
  if (text[stop] !== '*') {
    const isNumber = version.expected === 'a number';
    return { position: stop, expected: isNumber ? 'a number or *' : version.expected };
  }
  if (stop + 1 < text.length) return { position: stop + 1, expected: 'the end' };
  return branchIn(numbers);
}

function branchIn([, major, minor]: RegExpExecArray): Constraint {
  return minor === undefined
    ? { kind: 'major', major: Number(major) }
    : { kind: 'minor', major: Number(major), minor: Number(minor) };
}

function constraintError(input: unknown, misfit: Misfit): ParseError<'bad-constraint'> {
  if (typeof input !== 'string' || input.length > LONGEST_VERSION) {
    return parseError('bad-constraint', input, misfit);
  }
  if (PLACEHOLDER.test(input)) {
    const verdict = 'a placeholder: write numbers in place of the letters';
    return parseError('bad-constraint', input, { ...misfit, verdict });
  }
  const near = nearestForm(input, KEYWORDS);
  const suggestion = 'kind' in readConstraint(near) ? near : undefined;
  return parseError('bad-constraint', input, { ...misfit, suggestion });
}
