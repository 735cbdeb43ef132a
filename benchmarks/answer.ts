import {
  indexReleases,
  parseConstraint,
  resolve,
  type Constraint,
  type ReleaseIndex,
} from 'modreg';

export function constraint(text: string): Constraint {
  const parsed = parseConstraint(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

export function indexOf(versions: readonly string[]): ReleaseIndex {
  return indexReleases(versions.map((version) => ({ version })));
}

/** What a floating constraint means, as text. */
export function answer(asked: Constraint, index: ReleaseIndex): string | null {
  const resolution = resolve(asked, index);
  return resolution.kind === 'resolved' ? resolution.release.version.text : null;
}

/** The range of semver that a floating constraint means. */
export function rangeOf(text: string): string {
  if (text === 'latest') return '*';
  const [major = '', minor = ''] = text.split('.');
  return minor === '*' ? `${major}.x` : `${major}.${minor}.x`;
}

/** Nothing is timed whose answer is not that of its peer. */
export function mustBeEqual(what: string, answers: readonly (string | null)[]): void {
  const [first] = answers;
  if (answers.some((other) => withoutBuild(other) !== withoutBuild(first ?? null))) {
    throw new Error(`${what}: the answers differ: ${answers.join(', ')}`);
  }
}

// Among builds of one precedence a peer takes the first of the list.
function withoutBuild(version: string | null): string | undefined {
  return version?.split('+')[0];
}
