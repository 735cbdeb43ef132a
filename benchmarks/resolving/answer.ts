import { indexReleases, resolve, type Constraint, type ReleaseIndex } from 'modreg';

export function indexOf(versions: readonly string[]): ReleaseIndex {
  return indexReleases(versions);
}

/** The version that a constraint resolves to; `null` if none. */
export function answer(wanted: Constraint, index: ReleaseIndex): string | null {
  const resolution = resolve(wanted, index);
  return resolution.kind === 'resolved' ? resolution.release.version.text : null;
}

/** The equivalent semver range of a floating constraint. */
export function rangeOf(text: string): string {
  if (text === 'latest') return '*';
  const [major = '', minor = ''] = text.split('.');
  return minor === '*' ? `${major}.x` : `${major}.${minor}.x`;
}

/** Throws if the contenders do not select the same version: only equal work is timed. */
export function mustBeEqual(what: string, answers: readonly (string | null)[]): void {
  const [first] = answers;
  if (answers.some((other) => withoutBuild(other) !== withoutBuild(first ?? null))) {
    throw new Error(`${what}: the chosen versions differ: ${answers.join(', ')}`);
  }
}

// Among builds of equal precedence, semver selects the first of the list.
function withoutBuild(version: string | null): string | undefined {
  return version?.split('+')[0];
}
