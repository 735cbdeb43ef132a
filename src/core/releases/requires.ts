/**
 * What a machine must have to run a release: ranges of npm by `platform-server`, `platform-agent` or module id, all of
 * which must fit, and under `tags` what the machine must be tagged with (D86).
 */
export type Requires = Readonly<Record<string, readonly string[]>>;

/** The key under which `Requires` has tags. All other keys have ranges. */
export const TAGS = 'tags';

/** A tag that a release requires or a policy gives. */
export const TAG: RegExp = /^[a-z0-9][a-z0-9._+:-]{0,127}$/;

/** All requirements of several entries of one version, whatever the order of the entries (D11); undefined if there are none. */
export function mergeRequires(all: readonly Requires[]): Requires | undefined {
  if (all.length === 0) return undefined;
  const keys = new Set(all.flatMap((requires) => Object.keys(requires)).toSorted());
  return Object.fromEntries(
    Array.from(keys, (key) => {
      const texts = all.flatMap((requires) => requires[key] ?? []);
      return [key, [...new Set(texts)].toSorted()] as const;
    }),
  );
}
