import { compareVersions, parseVersion, type Version } from '../../core/index.ts';
import { isObject, type JsonObject } from './json.ts';

/** By module id: the highest version that was deployed when a revision removed an entry of the module, as text. */
export type LeastVersions = Readonly<Record<string, string>>;

/** What is known of the versions of a machine's modules. */
export interface KnownVersions {
  /** The deployed version of a module entry; undefined if none is known. */
  readonly deployed: (name: string) => Version | undefined;
  readonly least: LeastVersions;
}

/** A version that an unsigned document must not fall below, and whether it is deployed. */
interface Least {
  readonly version: Version;
  readonly isDeployed: boolean;
}

export function entriesOf({ modules }: JsonObject): readonly JsonObject[] {
  return Array.isArray(modules) ? modules.filter(isObject) : [];
}

/** The highest version of a module that is or was deployed (D262), under any entry of `config`: all entries of a module share its data. */
export function leastOf(
  id: unknown,
  config: JsonObject,
  { deployed, least }: KnownVersions,
): Least | undefined {
  const kept = parseVersion(least[String(id)] ?? '');
  const known = [
    ...entriesOf(config).flatMap((entry) => {
      const version = entry['module_id'] === id ? deployed(String(entry['name'])) : undefined;
      return version ? [{ version, isDeployed: true }] : [];
    }),
    ...(kept.ok ? [{ version: kept.value, isDeployed: false }] : []),
  ];
  return known.toSorted((a, b) => compareVersions(b.version, a.version))[0];
}

/** What is kept when `after` replaces `before`. Operators may choose a lower version of each module that they sign. */
export function leastAfter(
  before: JsonObject,
  after: JsonObject,
  known: KnownVersions & { readonly isSigned: boolean },
): LeastVersions {
  const signed = new Set(known.isSigned ? entriesOf(after).map((entry) => entry['module_id']) : []);
  const kept = Object.entries(known.least).filter(([id]) => !signed.has(id));
  const removed = entriesOf(before).flatMap(({ name, module_id: id }): [string, string][] => {
    // Another entry of the module may have nothing deployed yet.
    const stays = entriesOf(after).some((one) => one['name'] === name && one['module_id'] === id);
    const one = stays || signed.has(id) ? undefined : leastOf(id, before, known);
    return one ? [[String(id), one.version.text]] : [];
  });
  return Object.fromEntries([...kept, ...removed]);
}
