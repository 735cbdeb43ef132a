/** What a response with the status 401 asks for. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  /** In lower case: `realm`, `service`, `scope`. */
  readonly parameters: ReadonlyMap<string, string>;
}

const PART =
  /(?:^|[\s,])(?:(basic|bearer)(?=\s)|([a-z_]{1,40}) ?= ?(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))/gi;

/** The challenges of the schemes Basic and Bearer in a `WWW-Authenticate` header. (RFC 9110, section 11.6.1) */
export function challengesIn(header: string | null): readonly Challenge[] {
  const challenges: (Challenge & { readonly parameters: Map<string, string> })[] = [];
  for (const [, scheme, name = '', quoted, bare = ''] of (header ?? '').matchAll(PART)) {
    if (scheme !== undefined) {
      const isBasic = scheme.toLowerCase() === 'basic';
      challenges.push({ scheme: isBasic ? 'basic' : 'bearer', parameters: new Map() });
    } else {
      const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare;
      challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
    }
  }
  return challenges;
}
