import type { Warning } from '../decision/warning.ts';
import type { UnmetRequirement } from '../releases/requirement-unmet.ts';
import { TAGS } from '../releases/requires.ts';
import { excerpt } from '../text/quote.ts';

/** A requirement: `platform-server >=1.4.0 <2`, `the tag distro:debian`. */
export function requiredText({ of, range }: Pick<UnmetRequirement, 'of' | 'range'>): string {
  return of === TAGS ? `the tag ${excerpt(range)}` : `${excerpt(of)} ${excerpt(range)}`;
}

/** What a release requires, and what the machine has instead (D86). */
export function describeUnmet(unmet: UnmetRequirement): string {
  const { found } = unmet;
  const entry =
    'entry' in found && found.entry !== undefined ? ` in entry ${excerpt(found.entry)}` : '';
  const what = found.kind === 'version' ? `${excerpt(found.text)} is deployed` : FOUND[found.kind];
  return `requires ${requiredText(unmet)}, but ${what}${entry}`;
}

/** What a machine has instead of a version that fits. */
const FOUND = {
  absent: 'this machine has no entry of it, and provides of the policy does not name it',
  none: 'nothing is deployed',
  unknown: 'what is deployed is not known',
  'no-version': 'what is deployed has no version',
  unreadable: 'this range cannot be read',
  untagged: 'this machine does not have it',
} as const;

/** What lets the machine meet a requirement. */
export function editWords({
  of,
  range,
  edit,
}: Extract<Warning, { readonly kind: 'requirement-unreachable' }>): string {
  switch (edit.kind) {
    case 'tag':
      return `add ${excerpt(range)} to tags of the policy if this machine has what it means`;
    case 'missing':
      return `add an entry of ${excerpt(of)} to the machine config, or name its version in provides of the policy`;
    case 'provides':
      return `provides of the policy names another version of ${excerpt(of)}`;
    case 'unpublished':
      return `no published release of ${excerpt(of)} is in this range`;
    case 'constraint':
      return `${edit.version.text} does, so let the version of ${excerpt(edit.name)} be ${edit.version.major}.*`;
    case 'each-other':
      return `the releases of ${excerpt(of)} in this range require in turn what this machine cannot have first, so a release without such a requirement is needed`;
  }
}
