import { FLEET_SCHEMAS } from './openapi-fleet-schemas.ts';
import { NEW_ROLLOUT, ROLLOUT_SCHEMAS } from './openapi-rollout-schemas.ts';
import { ref } from './openapi-ref.ts';

const HALF = '[A-Za-z0-9][A-Za-z0-9_-]{0,62}';
const TEXT_OR_NULL = { type: ['string', 'null'] };

const artifact = {
  type: 'object',
  required: ['platform', 'url', 'digest'],
  additionalProperties: false,
  properties: {
    platform: { type: 'string', examples: ['linux/arm64', 'any'] },
    url: {
      type: 'string',
      description:
        'The address of the file: absolute, or ../../artifacts/sha256/<hex> for a file that the registry hosts, relative to the address of the list',
    },
    digest: { type: 'string', pattern: '^sha(256:[0-9a-f]{64}|512:[0-9a-f]{128})$' },
    size: { type: 'integer', minimum: 0, description: 'The size of the file in bytes' },
  },
};

/** The schemas of the OpenAPI document. */
export const SCHEMAS: object = {
  ...FLEET_SCHEMAS,
  ...ROLLOUT_SCHEMAS,
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
      rollout: ref('ListedRollout'),
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
          'The time of the request by default, and at most five minutes before or after it, unless the token has the scope import',
      },
      artifacts: { type: 'array', maxItems: 5, items: ref('Artifact') },
      deprecated: { ...TEXT_OR_NULL, maxLength: 1000 },
      yanked: {
        ...TEXT_OR_NULL,
        maxLength: 1000,
        description: 'The reason, to publish the release as yanked',
      },
      rollout: NEW_ROLLOUT,
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
        description:
          'Increases by 1 with each change to the module, and by 1,000 or more when the registry is restored from a backup',
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
        description:
          'Only numbers of responses with the same history can be compared. A registry that is restored from a backup gets another one',
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
      warnings: {
        type: 'array',
        description: 'Limits of clients that the release list exceeds or comes near to',
        items: {
          type: 'object',
          required: ['type', 'detail'],
          additionalProperties: false,
          properties: {
            type: { enum: ['urn:modreg:list-near-limit', 'urn:modreg:list-too-large'] },
            detail: { type: 'string' },
          },
        },
      },
    },
  },
  Uploaded: {
    type: 'object',
    required: ['module_id', 'url', 'digest', 'size', 'result'],
    additionalProperties: false,
    properties: {
      module_id: ref('ModuleId'),
      url: { type: 'string', description: 'The address of the file for a release' },
      digest: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
      size: { type: 'integer', minimum: 0, description: 'In bytes' },
      result: { enum: ['uploaded', 'unchanged'] },
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
      known_to: { type: 'integer', minimum: 0, description: 'In a gap: what the registry has' },
      sequence: {
        type: 'integer',
        minimum: 0,
        description: 'In a conflict: the last event of the rollout',
      },
      errors: {
        type: 'array',
        items: { type: 'string' },
        description: 'The errors in the body, at most 50',
      },
    },
  },
};
