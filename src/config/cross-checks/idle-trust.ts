import {
  npmKeysIn,
  type UpdatePolicy,
  type UpdateTerms,
} from '../../core/machine/update-policy.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import type { Finding } from '../fault.ts';

const NO_NPM =
  'it has no effect: no registry that it applies to is an npm: registry; other registries need trust';
const KEYS_COUNT =
  'it has no effect: each registry that it applies to is an npm: registry, and npm_keys counts in its place';

/** What a policy says of signatures that has no effect: `npm_keys` without an npm registry, and `trust` where only they count (D198). */
export function idleTrust({ terms, modules }: UpdatePolicy): Finding[] {
  const owners: (readonly [Path, UpdateTerms])[] = [
    [[], terms],
    ...Array.from(modules, ([name, own]) => [['modules', name], own] as const),
  ];
  const found = (
    field: 'trust' | 'npm_keys',
    valueIn: (own: UpdateTerms) => unknown,
    message: string,
    isIdle: (own: UpdateTerms) => boolean,
  ): Finding[] =>
    // A module without a value of its own has the general one.
    Array.from(Map.groupBy(owners, ([, own]) => valueIn(own))).flatMap(([value, users]) => {
      const [[path] = [[]]] = users;
      // A registry that the policy does not name is named by --registry.
      const isUsed = users.some(([, own]) => own.registry === undefined || !isIdle(own));
      if (value === undefined || isUsed) return [];
      return [{ kind: 'idle-trust', path: [...path, field], message }];
    });
  return [
    ...found('npm_keys', keysIn, NO_NPM, (own) => npmKeysIn(own) === undefined),
    ...found(
      'trust',
      ({ trust }) => trust,
      KEYS_COUNT,
      (own) => npmKeysIn(own) !== undefined,
    ),
  ];
}

/** An empty list says that no key has to sign. */
function keysIn({ npmKeys = [] }: UpdateTerms): UpdateTerms['npmKeys'] {
  return npmKeys.length > 0 ? npmKeys : undefined;
}
