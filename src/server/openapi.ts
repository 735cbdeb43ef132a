const json = (schema: object, description: string): object => ({
  description,
  content: { 'application/json': { schema } },
});
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const problem = (description: string): object => ({
  description,
  content: { 'application/problem+json': { schema: ref('Problem') } },
});
const path = (name: string, description: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});
const query = (name: string, description: string, schema: object): object => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});

const HALF = '[A-Za-z0-9][A-Za-z0-9_-]{0,62}';
const TEXT_OR_NULL = { type: ['string', 'null'] };

const MODULE = [
  path('namespace', "An organization's name or UUID"),
  path('name', 'A module of that namespace'),
];
const VERSION = [...MODULE, path('version', 'SemVer 2.0.0, exactly as published')];
const FAILURES = {
  500: problem('The registry had an internal error. Nothing was changed.'),
  503: problem(
    'The catalogue is locked by another process. Retry after the seconds in Retry-After.',
  ),
  507: problem('The disk is full or read-only. Nothing was changed.'),
};
const WRITE_ERRORS = {
  ...FAILURES,
  400: problem('The address or the body cannot be read'),
  401: problem('The token is missing, or this registry did not create it'),
  404: problem('There is no such module or version'),
  413: problem('The body is larger than 1 MiB'),
  415: problem('The body is not application/json'),
  422: problem('The body is JSON, but does not match the schema'),
};

const artifact = {
  type: 'object',
  required: ['platform', 'url', 'digest'],
  additionalProperties: false,
  properties: {
    platform: { type: 'string', examples: ['linux/arm64', 'any'] },
    url: { type: 'string' },
    digest: { type: 'string', pattern: '^sha(256:[0-9a-f]{64}|512:[0-9a-f]{128})$' },
    size: { type: 'integer', minimum: 0, description: 'The size of the file in bytes' },
  },
};

const schemas = {
  ModuleId: { type: 'string', pattern: `^${HALF}:${HALF}$` },
  Artifact: artifact,
  Release: {
    type: 'object',
    required: ['version', 'published_at', 'deprecated', 'yanked'],
    additionalProperties: false,
    properties: {
      version: { type: 'string' },
      published_at: { type: 'string', format: 'date-time' },
      artifacts: {
        type: 'array',
        items: ref('Artifact'),
        description: 'If absent, the release runs on every platform. If empty, it runs on none.',
      },
      deprecated: TEXT_OR_NULL,
      yanked: { ...TEXT_OR_NULL, description: 'The reason, which may be empty. Null: not yanked.' },
    },
  },
  NewRelease: {
    type: 'object',
    required: ['version'],
    additionalProperties: false,
    properties: {
      version: { type: 'string' },
      published_at: {
        type: 'string',
        format: 'date-time',
        description:
          'The time of the request by default, and at most five minutes before or after it',
      },
      artifacts: { type: 'array', maxItems: 5, items: ref('Artifact') },
      deprecated: { ...TEXT_OR_NULL, maxLength: 1000 },
      yanked: {
        ...TEXT_OR_NULL,
        maxLength: 1000,
        description: 'The reason, to publish the release as yanked',
      },
    },
  },
  Module: {
    type: 'object',
    required: ['module_id', 'generation', 'count', 'releases'],
    additionalProperties: false,
    properties: {
      module_id: ref('ModuleId'),
      generation: {
        type: 'integer',
        minimum: 1,
        description: 'Increases by 1 with each change to the module',
      },
      count: { type: 'integer', minimum: 1, description: 'The number of releases' },
      releases: { type: 'array', items: ref('Release') },
    },
  },
  Modules: {
    type: 'object',
    required: ['modules'],
    additionalProperties: false,
    properties: { modules: { type: 'array', items: ref('ModuleId') } },
  },
  Changes: {
    type: 'object',
    required: ['history', 'sequence', 'modules', 'spread_ms'],
    additionalProperties: false,
    properties: {
      history: {
        type: 'string',
        description: 'Only numbers of responses with the same history can be compared',
      },
      sequence: {
        type: 'integer',
        minimum: 0,
        description: 'The value of after for the next request',
      },
      modules: { type: 'array', items: ref('ModuleId') },
      spread_ms: {
        type: 'integer',
        minimum: 0,
        description: 'Wait a random time up to this, in milliseconds, before fetching the modules',
      },
    },
  },
  Published: {
    type: 'object',
    required: ['module_id', 'version', 'result'],
    additionalProperties: false,
    properties: {
      module_id: ref('ModuleId'),
      version: { type: 'string' },
      result: { enum: ['published', 'yanked', 'unchanged'] },
    },
  },
  Yanked: {
    type: 'object',
    required: ['module_id', 'version', 'yanked'],
    additionalProperties: false,
    properties: { module_id: ref('ModuleId'), version: { type: 'string' }, yanked: TEXT_OR_NULL },
  },
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    additionalProperties: false,
    description: 'RFC 9457',
    properties: {
      type: { type: 'string', pattern: '^urn:modreg:[a-z-]+$' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      errors: {
        type: 'array',
        items: { type: 'string' },
        description: 'The errors in the body, at most 50',
      },
    },
  },
};

/** The OpenAPI description of the registry's protocol, served at `GET /v1/openapi.json`. */
export const OPENAPI: object = {
  openapi: '3.1.0',
  info: { title: 'modreg registry', version: '1' },
  paths: {
    '/v1/modules': {
      get: {
        summary: 'The ids of all modules',
        parameters: [query('namespace', 'Only those of this namespace', { type: 'string' })],
        responses: { ...FAILURES, 200: json(ref('Modules'), 'The ids, sorted') },
      },
    },
    '/v1/modules/{namespace}/{name}': {
      get: {
        summary: 'The releases of a module',
        parameters: MODULE,
        responses: {
          ...FAILURES,
          200: json(ref('Module'), 'The release list, with a strong ETag'),
          304: { description: 'The release list still has the ETag in If-None-Match' },
          400: problem('The address does not contain a module id'),
          404: problem('There is no such module'),
        },
      },
    },
    '/v1/changes': {
      get: {
        summary:
          'The modules that changed after a sequence number. Waits for a change if there is none yet.',
        parameters: [
          query('after', 'The sequence of an earlier response; 0 by default', {
            type: 'integer',
            minimum: 0,
          }),
          query(
            'wait',
            'How long to wait for a change, in seconds; 0 by default. More than 60 counts as 60',
            { type: 'number', minimum: 0 },
          ),
        ],
        responses: {
          ...FAILURES,
          200: json(
            ref('Changes'),
            'The changes. If sequence is less than after, the catalogue was replaced: fetch all modules again.',
          ),
          400: problem('after or wait is not a number'),
        },
      },
    },
    '/v1/modules/{namespace}/{name}/releases': {
      post: {
        summary: 'Publishes a release. A published release never changes.',
        security: [{ token: [] }],
        parameters: MODULE,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: ref('NewRelease') } },
        },
        responses: {
          ...WRITE_ERRORS,
          200: json(ref('Published'), 'The release was already published with the same content'),
          201: json(ref('Published'), 'The release is published and stored on disk'),
          409: problem('The version is already published with different content or publish time'),
        },
      },
    },
    '/v1/modules/{namespace}/{name}/releases/{version}/yank': {
      put: {
        summary: 'Yanks a release. It stays in the list, but machines no longer select it.',
        security: [{ token: [] }],
        parameters: VERSION,
        requestBody: {
          required: false,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                additionalProperties: false,
                properties: { reason: { type: 'string', maxLength: 1000 } },
              },
            },
          },
        },
        responses: { ...WRITE_ERRORS, 200: json(ref('Yanked'), 'The release is yanked') },
      },
      delete: {
        summary: 'Unyanks a release',
        security: [{ token: [] }],
        parameters: VERSION,
        responses: { ...WRITE_ERRORS, 200: json(ref('Yanked'), 'The release is not yanked') },
      },
    },
    '/v1/openapi.json': {
      get: {
        summary: 'This document',
        responses: { 200: json({ type: 'object' }, 'OpenAPI 3.1') },
      },
    },
  },
  components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
};
