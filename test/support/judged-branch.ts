import { parsed } from './judged-versions.ts';

/** Why a constraint does not allow a version, and whether that is so. */
export function branchReasons(constraint: string, text: string): [string, boolean][] {
  const [major, minor] = text.split('.');
  const [wantedMajor, wantedMinor] = constraint.split('.');
  const isPrerelease = (parsed(text)?.prerelease.length ?? 0) > 0;
  if (constraint === 'latest-with-prerelease') return [];
  if (constraint === 'latest') return [['prerelease', isPrerelease]];
  if (constraint.endsWith('*')) {
    return [
      ['other-major', major !== wantedMajor],
      ['other-minor', wantedMinor !== '*' && minor !== wantedMinor],
      ['prerelease', isPrerelease],
    ];
  }
  return [['other-version', text !== constraint]];
}
