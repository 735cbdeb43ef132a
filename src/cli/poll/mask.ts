import type { Delivery } from '../../poller/index.ts';

/** Shorter values are too common to be replaced. */
const LEAST_LENGTH = 4;
const MASK = '***';
// What follows :// in an address: each always matches, so a line takes time in proportion to its length (T287).
const USER_INFO = /(?<=:\/\/)[^\s/?#@]*@?/g;
const PATH_AND_REST = /(?<=:\/\/)([^\s?#]*)([?#][^\s"'<>]*)?/g;

/**
 * Returns a function that masks what may be secret in the output of a program: values that the module's environment reads
 * from the agent's or from its site (D366), parts of the artifact's address, `withheld` values, and user info and queries of any address.
 */
export function maskFor(
  { entry, environment, action: { artifact } }: Delivery,
  withheld: readonly string[],
): (text: string) => string {
  const read = Object.entries(entry?.env ?? {}).flatMap(([name, template]) =>
    /\$\{(?:environment|secret)\./.test(template) && environment.ok ? environment.value[name] : [],
  );
  const url = URL.parse(artifact?.url ?? '');
  const inUrl = url ? [url.username, url.password, ...url.searchParams.values()] : [];
  const values = [...withheld, ...read, ...inUrl].flatMap((value) => value ?? []);
  const secrets = values.flatMap(formsOf).filter(({ length }) => length >= LEAST_LENGTH);
  // The longest first: one may contain another.
  secrets.sort((a, b) => b.length - a.length);
  return (text) => {
    const masked = secrets.reduce((rest, value) => rest.replaceAll(value, MASK), text);
    return masked
      .replace(USER_INFO, (part) => (part.endsWith('@') ? `${MASK}@` : part))
      .replace(PATH_AND_REST, (_, path: string, rest = '') =>
        rest === '' ? path : `${path}${rest.slice(0, 1)}${MASK}`,
      );
  };
}

/** How a value may appear in one line of output: as it is, line by line, in JSON, and in an address. */
function formsOf(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [...value.split('\n'), inJson, encodeURIComponent(value)];
}
