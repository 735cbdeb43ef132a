import { differing, isObject, keysOf, objectAt, type JsonObject } from './json.ts';
import { ruleOf } from './term-rules.ts';

/** Both documents of a machine, as values of JSON. */
export interface Documents {
  readonly config: JsonObject;
  readonly policy: JsonObject;
}

/** What a site serves, in the same way; without a policy if it sets no terms. */
export interface ServedDocuments {
  readonly config: JsonObject;
  readonly policy: JsonObject | undefined;
}

/**
 * The documents of a machine that follows `served`: the modules and components of the site, its terms over those of the machine, and each
 * subsystem of the agent that the site names (D261). Without `served`, its own.
 */
export function merged(local: Documents, served: ServedDocuments | undefined): Documents {
  if (!served) return local;
  const agent = { ...objectAt(local.config, 'agent'), ...objectAt(served.config, 'agent') };
  const config = { ...served.config, ...(Object.keys(agent).length > 0 && { agent }) };
  return { config, policy: mergedPolicy(local.policy, served.policy ?? {}) };
}

/** The terms of `served` over those of `local`, in general and for each module. */
export function mergedPolicy(local: JsonObject, served: JsonObject): JsonObject {
  const [own, theirs] = [objectAt(local, 'modules'), objectAt(served, 'modules')];
  const modules = Object.fromEntries(
    keysOf(own, theirs).map((name) => [
      name,
      { ...objectAt(own, name), ...objectAt(theirs, name) },
    ]),
  );
  const all = { ...local, ...served };
  return Object.keys(modules).length > 0 ? { ...all, modules } : all;
}

/** The pointer of the first term that only the machine itself may have; undefined if the policy has none. */
export function localTermIn(policy: JsonObject): string | undefined {
  const modules = objectAt(policy, 'modules');
  const scopes: [string, JsonObject][] = [
    ['/policy', policy],
    ...Object.entries(modules).flatMap(([name, terms]): [string, JsonObject][] =>
      isObject(terms) ? [[`/policy/modules/${name}`, terms]] : [],
    ),
  ];
  for (const [path, terms] of scopes) {
    const term = differing(terms, {}).find((one) => ruleOf(one) === 'local');
    if (term !== undefined) return `${path}/${term}`;
  }
  return undefined;
}
