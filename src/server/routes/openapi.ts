import {
  body,
  FAILURES,
  ALL_AT_ONCE,
  FORCE,
  json,
  MODULE,
  path,
  problem,
  query,
  ref,
  described,
  VERSION,
  WRITE_ERRORS,
} from './openapi-parts.ts';
import { DESCRIPTIONS } from './openapi-descriptions.ts';
import { COMMAND_PATHS } from './openapi-command.ts';
import { FRAGMENT_PATHS } from './openapi-fragment.ts';
import { SECRET_PATHS } from './openapi-secret.ts';
import { CONFIG_PATHS } from './openapi-config.ts';
import { LOG_PATHS } from './openapi-logs.ts';
import { FLEET_PATHS } from './openapi-fleet.ts';
import { NOTES_PATHS } from './openapi-notes.ts';
import { ROLLOUT_PATHS } from './openapi-rollout.ts';
import { ARTIFACT_PATHS } from './openapi-artifacts.ts';
import { registrySchemas } from './openapi-schemas.ts';

const textAnswer = (description: string): object => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});

const header = (name: string, description: string, schema: object): object => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
const AT_LEAST = [
  header(
    'Modreg-At-Least',
    'A sequence that the client knows: a registry that does not have it within 2 seconds answers 503 behind',
    { type: 'integer', minimum: 0 },
  ),
  header(
    'Modreg-History',
    'The history of that sequence: a registry with another one does not wait',
    { type: 'string' },
  ),
];
const NONCE = query('nonce', '16 random bytes in base64url, for which the answer is signed', {
  type: 'string',
});
const SIGNATURE = {
  'Modreg-Signature': {
    description:
      'The version of the trust document, the id of a key and its signature, for a request with a nonce to a registry with keys',
    schema: { type: 'string' },
  },
};
const HISTORY = {
  'Modreg-History': {
    description: 'The history of the change feed that includes the changes of this list',
    schema: { type: 'string' },
  },
  ...SIGNATURE,
};

/** The OpenAPI description of the registry's protocol, whose operations keep their names (D318), served at `GET /v1/openapi.json`. It is loaded when it is asked for. */
export const OPENAPI: object = {
  openapi: '3.1.0',
  info: { title: 'modreg registry', version: '1' },
  paths: {
    '/v1/modules': {
      get: {
        operationId: 'listModules',
        summary: 'The ids of all modules',
        parameters: [
          query('namespace', 'Only those of this namespace', { type: 'string' }),
          ...AT_LEAST,
        ],
        responses: {
          ...FAILURES,
          200: json(ref('Modules'), 'The ids, sorted'),
          400: problem('A header cannot be read'),
        },
      },
    },
    '/v1/modules/{namespace}/{name}': {
      get: {
        operationId: 'readModule',
        summary: 'The releases of a module',
        parameters: [...MODULE, NONCE, ...AT_LEAST],
        responses: {
          ...FAILURES,
          200: { ...json(ref('Module'), 'The release list, with a strong ETag'), headers: HISTORY },
          304: {
            description: 'The release list still has the ETag in If-None-Match',
            headers: HISTORY,
          },
          400: problem('The address does not contain a module id, or a header cannot be read'),
          404: problem('There is no such module'),
        },
      },
    },
    '/v1/changes': {
      get: {
        operationId: 'awaitChanges',
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
          query('modules', 'Only changes of these modules: up to 100 ids, separated by commas', {
            type: 'string',
          }),
          query(
            'config',
            'Names the documents that the machine has whose token is sent, or is empty: the wait ends when others are served',
            { type: 'string' },
          ),
          query(
            'commands',
            'The highest number of a command that this machine has taken: the wait ends when a later one is given',
            { type: 'integer', minimum: 0 },
          ),
          NONCE,
          ...AT_LEAST,
        ],
        responses: {
          ...FAILURES,
          200: {
            ...json(
              ref('Changes'),
              'The changes. If history is another one, or sequence is less than after, the catalogue was replaced or restored: fetch all modules again.',
            ),
            headers: SIGNATURE,
          },
          400: problem('after, wait, modules or a header cannot be read'),
        },
      },
    },
    '/v1/trust': {
      get: {
        operationId: 'readTrust',
        summary: 'The trust documents of the registry: which keys sign releases',
        responses: {
          ...FAILURES,
          200: json(ref('Trust'), 'Their texts, the first version first; none without keys'),
        },
      },
      put: {
        operationId: 'storeTrust',
        summary:
          'Stores the next version of the trust document, which the root keys of both signed',
        security: [{ token: [] }],
        requestBody: body(ref('NewTrust')),
        responses: {
          ...WRITE_ERRORS,
          200: json(ref('StoredTrust'), 'It is stored, or was already'),
        },
      },
    },
    '/v1/modules/{namespace}/{name}/releases': {
      post: {
        operationId: 'publishRelease',
        summary: 'Publishes a release. A published release never changes.',
        security: [{ token: [] }],
        parameters: [...MODULE, FORCE, ALL_AT_ONCE],
        requestBody: body(ref('NewRelease')),
        responses: {
          ...WRITE_ERRORS,
          200: json(ref('Published'), 'The release was already published with the same content'),
          201: json(ref('Published'), 'The release is published and stored on disk'),
          409: problem(
            'The version is already published with different content, publish time or soak, or without the rollout, or machines would ignore a field of it',
          ),
        },
      },
    },
    '/v1/modules/{namespace}/{name}/releases/{version}/yank': {
      put: {
        operationId: 'yankRelease',
        summary: 'Yanks a release. It stays in the list, but machines no longer select it.',
        security: [{ token: [] }],
        parameters: VERSION,
        requestBody: body(ref('NewYank'), false),
        responses: { ...WRITE_ERRORS, 200: json(ref('Yanked'), 'The release is yanked') },
      },
      delete: {
        operationId: 'unyankRelease',
        summary: 'Unyanks a release',
        security: [{ token: [] }],
        parameters: VERSION,
        responses: { ...WRITE_ERRORS, 200: json(ref('Yanked'), 'The release is not yanked') },
      },
    },
    '/v1/modules/{namespace}/{name}/releases/{version}/deprecation': {
      put: {
        operationId: 'deprecateRelease',
        summary: 'Deprecates a release. Machines select it only if nothing is preferred to it.',
        security: [{ token: [] }],
        parameters: VERSION,
        requestBody: body(ref('YankReason'), false),
        responses: { ...WRITE_ERRORS, 200: json(ref('Deprecated'), 'The release is deprecated') },
      },
      delete: {
        operationId: 'undeprecateRelease',
        summary: 'Reverts a deprecation',
        security: [{ token: [] }],
        parameters: VERSION,
        responses: {
          ...WRITE_ERRORS,
          200: json(ref('Deprecated'), 'The release is not deprecated'),
        },
      },
    },
    ...NOTES_PATHS,
    ...ROLLOUT_PATHS,
    ...ARTIFACT_PATHS,
    ...FLEET_PATHS,
    ...CONFIG_PATHS,
    ...LOG_PATHS,
    ...COMMAND_PATHS,
    ...FRAGMENT_PATHS,
    ...SECRET_PATHS,
    '/v1/openapi.json': {
      get: {
        operationId: 'readDescription',
        summary: 'This document',
        responses: { 200: json({ type: 'object' }, 'OpenAPI 3.1') },
      },
    },
    '/install.sh': {
      get: {
        operationId: 'readInstallScript',
        summary: 'A shell script that installs the agent as a service of systemd',
        responses: {
          200: textAnswer('The script. It is the same in each registry of one version'),
        },
      },
    },
    '/install/{os}/{cpu}': {
      get: {
        operationId: 'findAgent',
        summary: 'The newest release of platform:agent with a hosted file for a platform',
        parameters: [path('os', 'linux'), path('cpu', 'amd64 or arm64')],
        responses: {
          ...FAILURES,
          200: textAnswer('Its version, a space, the sha256 of its file and a line feed'),
          400: problem('There is no such platform'),
          404: problem('There is no such release'),
        },
      },
    },
    '/healthz': {
      get: {
        operationId: 'checkHealth',
        summary:
          'Whether the registry can read and write its file. It looks at most once a second.',
        responses: {
          200: json(
            {
              type: 'object',
              required: ['status'],
              additionalProperties: false,
              properties: { status: { const: 'ok' } },
            },
            'It can',
          ),
          503: problem('It cannot. Retry after the seconds in Retry-After.'),
        },
      },
    },
  },
  components: {
    schemas: described(registrySchemas(), DESCRIPTIONS),
    securitySchemes: {
      token: {
        type: 'http',
        scheme: 'bearer',
        description:
          'Publishing needs the scope publish or import, yanking and deprecating the scope yank, changing a rollout the scope rollout, for all namespaces or for that of the module. A report needs machine:<id>, reading reports fleet:read, a trust document trust',
      },
    },
  },
};
