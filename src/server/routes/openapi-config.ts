import { body, json, path, problem, query, ref, WRITE_ERRORS } from './openapi-parts.ts';

const SECURITY = { security: [{ token: [] }] };
const MACHINE = path('id', 'The machine');
const ERRORS = {
  ...WRITE_ERRORS,
  404: problem('unknown-config: the registry has no such documents of the machine'),
  409: problem(
    'stale-config: based on another revision than the newest, whose number is in newest, with what changed since in changes. older-front: a front of the cluster could not read it. Nothing was changed.',
  ),
};

/** The operations on the documents of machines. */
export const CONFIG_PATHS: object = {
  '/v1/machines/{id}/config': {
    get: {
      operationId: 'readMachineConfig',
      summary:
        'The newest documents of a machine, for its own token; with the scope config, also who saved them, and what the machine says of them.',
      ...SECURITY,
      parameters: [
        MACHINE,
        query('revision', 'Another revision than the newest', { type: 'integer', minimum: 1 }),
      ],
      responses: {
        ...ERRORS,
        200: json({ anyOf: [ref('ShownConfig'), ref('ServedConfig')] }, 'The documents'),
        204: { description: 'The machine has no documents here' },
        304: { description: 'They are those of If-None-Match' },
      },
    },
    put: {
      operationId: 'replaceMachineConfig',
      summary: 'Saves the next revision, if based_on is the newest; 0 for the first.',
      ...SECURITY,
      parameters: [MACHINE],
      requestBody: body(ref('NewConfig')),
      responses: { ...ERRORS, 200: json(ref('SavedConfig'), 'The revision') },
    },
  },
  '/v1/machines/{id}/config/history': {
    get: {
      operationId: 'listMachineConfigs',
      summary: 'What was saved for a machine, the newest first: at most 100 revisions.',
      ...SECURITY,
      parameters: [MACHINE],
      responses: { ...ERRORS, 200: json(ref('ConfigHistory'), 'The revisions') },
    },
  },
  '/v1/machines/{id}/config/signatures': {
    put: {
      operationId: 'signMachineConfig',
      summary: 'Adds signatures of operators to the newest revision.',
      ...SECURITY,
      parameters: [MACHINE],
      requestBody: body(ref('NewConfigSignatures')),
      responses: { ...ERRORS, 200: json(ref('SavedConfig'), 'The revision') },
    },
  },
  '/v1/machines/{id}/config/answer': {
    put: {
      operationId: 'answerMachineConfig',
      summary: 'What a machine says of the documents that it is served.',
      ...SECURITY,
      parameters: [MACHINE],
      requestBody: body(ref('ConfigAnswer')),
      responses: {
        ...ERRORS,
        200: json(
          { type: 'object', properties: { machine: { type: 'string' } } },
          'The registry has it',
        ),
      },
    },
  },
};
