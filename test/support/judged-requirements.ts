import semver from 'semver';
import type { JudgedEntry } from './judged-entry.ts';
import { isStrict } from './judged-versions.ts';

/** What is deployed of each module, null for nothing and undefined if it is not known, and the tags of the machine. (D86) */
export interface JudgedMachineParts {
  readonly deployed: ReadonlyMap<string, readonly (string | null | undefined)[]>;
  readonly tags: readonly string[];
}

/** Whether the machine lacks anything that an entry of a version requires. */
export function lacks(
  duplicates: readonly JudgedEntry[],
  has: JudgedMachineParts | undefined,
): boolean {
  if (!has) return false;
  return duplicates.some(({ requires = {} }) =>
    Object.entries(requires).some(([of, texts]) =>
      texts.some((text) => {
        if (of === 'tags') return !has.tags.includes(text);
        const deployed = has.deployed.get(of) ?? [];
        const isMet = deployed.every(
          (one) =>
            typeof one === 'string' &&
            isStrict(one) &&
            semver.satisfies(one, text, { includePrerelease: true }),
        );
        return deployed.length === 0 || !isMet;
      }),
    ),
  );
}
