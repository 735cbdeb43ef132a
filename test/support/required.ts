import {
  machineFacts,
  type MachineFacts,
  type Provided,
} from '../../src/core/releases/machine-facts.ts';
import type { ReleaseRecord } from '../../src/core/index.ts';
import type { Requires } from '../../src/core/releases/requires.ts';
import { satisfiesRange } from '../../src/registry/npm-range.ts';

/** A release that requires something: `{ 'platform-server': '>=1.4' }`, or several texts under one name. */
export function requiring(
  version: string,
  required: Readonly<Record<string, string | readonly string[]>>,
): ReleaseRecord {
  return { version, requires: requiresOf(required) };
}

function requiresOf(required: Readonly<Record<string, string | readonly string[]>>): Requires {
  return Object.fromEntries(
    Object.entries(required).map(([of, texts]) => [
      of,
      typeof texts === 'string' ? [texts] : texts,
    ]),
  );
}

/** A machine with these versions: null if nothing is deployed, undefined if that is not known. Several are several entries. */
export function having(
  versions: Readonly<Record<string, readonly (string | null | undefined)[]>>,
  ...tags: readonly string[]
): MachineFacts {
  const deployed = (of: string): Provided[] =>
    (versions[of] ?? []).map((text) => {
      if (text === undefined) return { kind: 'unknown' };
      return text === null ? { kind: 'none' } : { kind: 'version', text };
    });
  return machineFacts({ deployed, hasTag: (tag) => tags.includes(tag), satisfies: satisfiesRange });
}
