const json = (schema: object, description: string): object => ({
  description,
  content: { 'application/json': { schema } },
});
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const refusal = (description: string): object => ({
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
  path('name', 'A module of it'),
];
const VERSION = [...MODULE, path('version', 'SemVer 2.0.0, exactly as published')];
const FAILED = {
  500: refusal('The registry failed; nothing was changed'),
  503: refusal('The catalogue is held by another process; Retry-After says when to come again'),
  507: refusal('The disk is full or read-only; nothing was changed'),
};
const CHANGED = {
  ...FAILED,
  400: refusal('The address or the body cannot be read'),
  401: refusal('No token, or none of this registry'),
  404: refusal('There is no such module or version'),
  413: refusal('The body is larger than 1 MiB'),
  415: refusal('The body is not application/json'),
  422: refusal('The body is JSON, and not what is needed here'),
};

const artifact = {
  type: 'object',
  required: ['platform', 'url', 'digest'],
  additionalProperties: false,
  properties: {
    platform: { type: 'string', examples: ['linux/arm64', 'any'] },
    url: { type: 'string' },
    digest: { type: 'string', pattern: '^sha(256:[0-9a-f]{64}|512:[0-9a-f]{128})$' },
    size: { type: 'integer', minimum: 0, description: 'Bytes' },
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
        description: 'Absent: no platform is excluded. Empty: all are',
      },
      deprecated: TEXT_OR_NULL,
      yanked: { ...TEXT_OR_NULL, description: 'The reason; empty when none was given' },
    },
  },
  NewRelease: {
    type: 'object',
    required: ['version'],
    additionalProperties: false,
    properties: {
      version: { type: 'string' },
      published_at: { type: 'string', format: 'date-time', description: 'Without it, now' },
      artifacts: { type: 'array', maxItems: 5, items: ref('Artifact') },
      deprecated: { ...TEXT_OR_NULL, maxLength: 1000 },
      yanked: { ...TEXT_OR_NULL, maxLength: 1000, description: 'A reason publishes it yanked' },
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
        description: 'Grows with each change of the module',
      },
      count: { type: 'integer', minimum: 1, description: 'How many releases there are' },
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
    required: ['sequence', 'modules', 'spread_ms'],
    additionalProperties: false,
    properties: {
      sequence: { type: 'integer', minimum: 0, description: 'To be named as after next time' },
      modules: { type: 'array', items: ref('ModuleId') },
      spread_ms: {
        type: 'integer',
        minimum: 0,
        description: 'Wait a random time up to this before asking for the modules',
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
      errors: { type: 'array', items: { type: 'string' }, description: 'Each fault of the body' },
    },
  },
};

/** The registry's protocol, as `GET /v1/openapi.json` tells it. */
export const OPENAPI: object = {
  openapi: '3.1.0',
  info: { title: 'modreg registry', version: '1' },
  paths: {
    '/v1/modules': {
      get: {
        summary: 'The ids of all modules',
        parameters: [query('namespace', 'Only those of this namespace', { type: 'string' })],
        responses: { ...FAILED, 200: json(ref('Modules'), 'In the order of their names') },
      },
    },
    '/v1/modules/{namespace}/{name}': {
      get: {
        summary: 'The releases of a module',
        parameters: MODULE,
        responses: {
          ...FAILED,
          200: json(ref('Module'), 'With a strong ETag'),
          304: { description: 'If-None-Match names the document as it is' },
          400: refusal('The address holds no module id'),
          404: refusal('There is no such module'),
        },
      },
    },
    '/v1/changes': {
      get: {
        summary:
          'The modules that changed after a sequence; waits for a change where there is none',
        parameters: [
          query('after', 'The sequence of an earlier answer', { type: 'integer', minimum: 0 }),
          query('wait', 'Seconds; more than 60 count as 60', { type: 'number', minimum: 0 }),
        ],
        responses: {
          ...FAILED,
          200: json(
            ref('Changes'),
            'A sequence below after: the catalogue is another, ask for everything',
          ),
          400: refusal('after or wait is no number'),
        },
      },
    },
    '/v1/modules/{namespace}/{name}/releases': {
      post: {
        summary: 'Publishes a release, which never changes afterwards',
        security: [{ token: [] }],
        parameters: MODULE,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: ref('NewRelease') } },
        },
        responses: {
          ...CHANGED,
          200: json(ref('Published'), 'It was published before with the same content'),
          201: json(ref('Published'), 'It is published, and on the disk'),
          409: refusal('It is published with other content'),
        },
      },
    },
    '/v1/modules/{namespace}/{name}/releases/{version}/yank': {
      put: {
        summary: 'Yanks a release: it stays, and no machine chooses it any more',
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
        responses: { ...CHANGED, 200: json(ref('Yanked'), 'It is yanked') },
      },
      delete: {
        summary: 'Takes a yank back',
        security: [{ token: [] }],
        parameters: VERSION,
        responses: { ...CHANGED, 200: json(ref('Yanked'), 'It is not yanked') },
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
