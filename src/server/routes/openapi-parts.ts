/** The address of a schema in the document. */
export const refTo = (name: string): string => `#/components/schemas/${name}`;
export const ref = (name: string): object => ({ $ref: refTo(name) });

export const json = (schema: object, description: string): object => ({
  description,
  content: { 'application/json': { schema } },
});
/** A request body in JSON. */
export const body = (schema: object, required = true): object => ({
  required,
  content: { 'application/json': { schema } },
});
export const problem = (description: string): object => ({
  description,
  content: { 'application/problem+json': { schema: ref('Problem') } },
});
export const path = (name: string, description: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});
export const query = (name: string, description: string, schema: object): object => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});
/** The parameters of the address of a module. */
export const MODULE: readonly object[] = [
  path('namespace', "An organization's name or UUID"),
  path('name', 'A module of that namespace'),
];
/** The parameters of the address of a release. */
export const VERSION: readonly object[] = [
  ...MODULE,
  path('version', 'SemVer 2.0.0, exactly as published'),
];
/** Publishes what machines ignore. */
export const FORCE: object = {
  name: 'force',
  in: 'query',
  required: false,
  description: 'Publishes the release although machines run a modreg that ignores what it requires',
  schema: { type: 'boolean', default: false },
};
/** Publishes without the rollout that the registry begins by default. */
export const ALL_AT_ONCE: object = {
  name: 'all_at_once',
  in: 'query',
  required: false,
  description:
    'Publishes the release to all machines, also where the registry begins rollouts by default',
  schema: { type: 'boolean', default: false },
};
/** The responses of every operation if the registry fails. */
export const FAILURES: Readonly<Record<number, object>> = {
  429: problem('The client has too many requests at once. Retry after the seconds in Retry-After.'),
  500: problem('The registry had an internal error. Nothing was changed.'),
  503: problem(
    'The catalogue is locked by another process, too many responses are not read, the registry is behind Modreg-At-Least, or it may lack a change of the module. Retry after the seconds in Retry-After.',
  ),
  507: problem('The disk is full or read-only. Nothing was changed.'),
};
/** The responses to a change that is refused. */
export const WRITE_ERRORS: Readonly<Record<number, object>> = {
  ...FAILURES,
  400: problem('The address or the body cannot be read'),
  401: problem('The token is missing, unknown, expired or revoked'),
  403: problem('The token does not have the scope that WWW-Authenticate names'),
  404: problem('There is no such module or version'),
  413: problem('The body is larger than 1 MiB'),
  415: problem('The body is not application/json'),
  422: problem('The body is JSON, but does not match the schema'),
};

/** The components, each with its description; one that has its own keeps it (D350). */
export function described(
  components: Readonly<Record<string, object>>,
  descriptions: Readonly<Record<string, string>>,
): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(components).map(([name, component]) => {
      const description = descriptions[name];
      return [name, description === undefined ? component : { description, ...component }];
    }),
  );
}
