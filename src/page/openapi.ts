import {
  body as bodyIn,
  json,
  path,
  problem,
  query as queryOf,
  ref,
  described,
} from '../server/routes/openapi-parts.ts';
import { DESCRIPTIONS } from './openapi-descriptions.ts';
import { PAGE_SCHEMAS } from './openapi-schemas.ts';
import { BODIES } from './request-input.ts';
import { withOperationIds } from './operation-ids.ts';

type Responses = Readonly<Record<number, object>>;

const NAME = path('name', 'The name of a module entry or a subsystem, or a module_id');
const TEXT = { type: 'string' };
const NO_CONTENT = { description: 'Done' };

const header = (name: string, presence: 'required' | 'optional', description: string): object => ({
  name,
  in: 'header',
  required: presence === 'required',
  description,
  schema: TEXT,
});
const query = (name: string, description: string): object => queryOf(name, description, TEXT);
const KEY = header(
  'Idempotency-Key',
  'optional',
  'The same key with the same request gets the first answer again. Answers are kept in memory, at most 1,000, until the page ends',
);
const IF_MATCH = header('If-Match', 'required', 'The ETag of the machine config that is changed');

/** The types of the fields of a body. */
const TYPES = { text: TEXT, texts: { type: 'array', items: TEXT }, flag: { type: 'boolean' } };

/** A request body as its reader takes it, with what is said about some of its fields. */
function body<Fields extends Readonly<Record<string, 'text' | 'texts' | 'flag'>>>(
  { fields, required }: { readonly fields: Fields; readonly required: readonly string[] },
  about: { readonly [Name in keyof Fields]?: string } = {},
): object {
  const properties = Object.entries(fields).map(([name, kind]) => {
    const description = about[name];
    return [name, { ...TYPES[kind], ...(description !== undefined && { description }) }];
  });
  return bodyIn(
    {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(properties),
      required,
    },
    required.length > 0,
  );
}

const FAILURES: Responses = {
  401: problem('You are not signed in'),
  403: problem('The request comes from another site'),
  409: problem('The machine is not in a state for this: `problems` says why'),
  421: problem('The page has another host name'),
  500: problem('The files of the machine cannot be used'),
  503: problem('Another process uses machine.db or the machine config: try again'),
};
const CHANGE_FAILURES: Responses = {
  ...FAILURES,
  400: problem('The body or a header cannot be read'),
  404: problem('The machine does not have this'),
  413: problem('The body is too large'),
  415: problem('The body is not application/json'),
  422: problem('The body has errors'),
};
const SAVE_FAILURES: Responses = {
  ...CHANGE_FAILURES,
  412: problem('The machine config was changed meanwhile. Nothing was changed.'),
  428: problem('If-Match is missing'),
};
const NOT_THERE = { 404: problem('The machine does not have this') };

const read = (summary: string, schema: string, parameters: readonly object[] = []): object => ({
  get: {
    summary,
    parameters,
    responses: { ...FAILURES, ...NOT_THERE, 200: json(ref(schema), summary) },
  },
});
const changed = (
  summary: string,
  schema: string,
  parameters: readonly object[],
  requestBody?: object,
): object => ({
  summary,
  parameters: [...parameters, KEY],
  ...(requestBody && { requestBody }),
  responses: { ...CHANGE_FAILURES, 200: json(ref(schema), 'The document of the command') },
});
const saved = (summary: string, parameters: readonly object[], requestBody: object): object => ({
  summary,
  parameters: [...parameters, IF_MATCH],
  requestBody,
  responses: { ...SAVE_FAILURES, 200: json(ref('ConfigSaved'), 'Saved, with its ETag') },
});

const MODULE_PATHS = {
  '/v1/modules/{name}/explain': read('Why each release is selected or refused', 'Explanation', [
    NAME,
  ]),
  '/v1/modules/{name}/compare': read(
    'What each version type would do with a module, with the ETag of the machine config',
    'VersionChoices',
    [NAME],
  ),
  '/v1/modules/{name}/version': {
    put: saved(
      'Changes the version of a module entry, and nothing else',
      [NAME],
      body(BODIES.version, { deployed: 'As it was seen' }),
    ),
  },
  '/v1/modules/{name}/restart': {
    post: changed(
      'Requests a restart, as modreg restart does',
      'Restart',
      [NAME],
      body(BODIES.restart, {
        now: 'Whether it passes the maintenance window',
        deployed: 'As it was seen: another one is refused with 409',
      }),
    ),
    delete: changed('Withdraws the request', 'RestartCancelled', [NAME]),
  },
  '/v1/modules/{name}/upgrade': {
    post: changed(
      'Reads the list of a module and says what holds the release that it selects; with `now`, it is begun at once, as with modreg upgrade --now',
      'Upgrade',
      [NAME],
      body(BODIES.upgrade, {
        now: 'Whether the replacement passes windows, blackouts, answers, cooldown and a busy server',
        despite:
          'What the modules said that must not be stopped, as `held_by` has it: each one must be named',
        by: 'Who requests it, as status and the history show',
        deployed: 'As it was seen: another one is refused with 409',
        to: 'The version that was seen to be selected',
      }),
    ),
  },
  '/v1/modules/{name}/rollback': {
    post: changed(
      'Rolls back, as modreg rollback does',
      'Rollback',
      [NAME],
      body(BODIES.rollback, {
        for: 'A duration: 7d',
        deployed: 'As it was seen: another one is refused with 409',
        to: 'The version that was seen to replace it',
      }),
    ),
  },
};

/** The OpenAPI description of the page of a machine, served at `GET /v1/openapi.json`. It is loaded when it is asked for. */
export const PAGE_OPENAPI: object = {
  openapi: '3.1.0',
  info: { title: 'modreg machine page', version: '1' },
  security: [{ session: [] }, { token: [] }],
  paths: withOperationIds({
    '/v1/machine': read('The plan and the status of the machine', 'Machine'),
    '/v1/live': {
      get: {
        summary: 'What changes, as server-sent events',
        parameters: [query('seen', 'The version of the rows that the client has')],
        responses: {
          ...FAILURES,
          429: problem('The session has too many feeds'),
          200: { description: 'Events', content: { 'text/event-stream': { schema: TEXT } } },
        },
      },
    },
    '/v1/look': {
      post: {
        summary: 'Fetches the release lists now',
        responses: { ...FAILURES, 204: NO_CONTENT },
      },
    },
    ...MODULE_PATHS,
    '/v1/quarantine': {
      ...read('The versions in quarantine', 'Quarantine'),
      post: changed(
        'Refuses a version, as modreg quarantine add does',
        'Quarantined',
        [],
        body(BODIES.quarantine),
      ),
    },
    '/v1/quarantine/{module_id}/{version}': {
      delete: changed(
        'Ends a quarantine',
        'Lifted',
        [path('module_id', 'namespace:name'), path('version', 'The version')],
        body(BODIES.lift, { since: 'When the entry that was seen began' }),
      ),
    },
    '/v1/holds': {
      ...read('What operators hold', 'Holds'),
      post: changed(
        'Holds a module or the machine, as modreg hold does',
        'Hold',
        [],
        body(BODIES.hold, {
          module:
            'The name of a module entry or a subsystem, or a module_id; absent for the machine',
          for: 'A duration: 12h; either this or `until`',
          until: 'A time, at most 30 days ahead',
          by: 'Who holds it, as status and the history show',
        }),
      ),
      delete: changed(
        'Ends a hold, as modreg unhold does',
        'Unhold',
        [],
        body(BODIES.unhold, {
          module: 'Absent for the machine',
          since: 'When the hold that was seen began',
        }),
      ),
    },
    '/v1/config': {
      ...read('The machine config without its secrets, with its ETag', 'Config'),
      put: saved('Replaces the machine config', [], body(BODIES.config)),
    },
    '/v1/config/check': {
      post: {
        summary: 'Checks a machine config, and compares its plan with that of the present one',
        requestBody: body(BODIES.config),
        responses: { ...CHANGE_FAILURES, 200: json(ref('ConfigCheck'), 'What was found') },
      },
    },
    '/v1/history': read('The newest changes of decisions', 'History', [
      query('module', 'Only those of this module'),
    ]),
    '/v1/logs': read("The newest records of the agent's log", 'Logs', [
      query('module', 'Only those of this module entry'),
      query('level', 'The least severity'),
      query('after', 'Only records after this id'),
      query('last', 'Only records of this last time, such as 1h'),
      query('text', 'Only records with this text, in any case of its letters'),
    ]),
    '/v1/sign-in': {
      post: {
        summary: 'Signs in with a code',
        security: [],
        requestBody: body({ fields: { code: 'text' }, required: ['code'] }),
        responses: {
          ...FAILURES,
          400: problem('There is no code'),
          200: json(ref('Session'), 'A token'),
        },
      },
    },
    '/v1/sign-out': {
      post: {
        summary: 'Ends the session',
        security: [],
        responses: { ...FAILURES, 204: NO_CONTENT },
      },
    },
    '/v1/openapi.json': {
      get: {
        summary: 'This document',
        responses: { 200: json({ type: 'object' }, 'OpenAPI 3.1') },
      },
    },
  }),
  components: {
    schemas: described(PAGE_SCHEMAS, DESCRIPTIONS),
    securitySchemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-modreg-page',
        description: 'A person who has signed in with a code',
      },
      token: { type: 'http', scheme: 'bearer', description: 'POST /v1/sign-in returns it' },
    },
  },
};
