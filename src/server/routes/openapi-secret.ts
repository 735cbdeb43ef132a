import { body, json, path, problem, ref, WRITE_ERRORS } from './openapi-parts.ts';

const SECURITY = { security: [{ token: [] }] };
const MACHINE = path('id', 'The machine');
const NAME = path('name', 'The name in ${secret.NAME}');
const ERRORS = {
  ...WRITE_ERRORS,
  404: problem('unknown-config: the newest documents do not name it, or it has no value'),
  409: problem(
    'no-secrets: a front of a cluster without the key, or with another one. older-front: a front of the cluster could not read it. Nothing was changed.',
  ),
};

/** The operations on the values that documents of machines name. */
export const SECRET_PATHS: object = {
  '/v1/machines/{id}/config/secrets': {
    get: {
      operationId: 'listMachineSecrets',
      summary: 'What has a value, and what the newest documents name, without the values.',
      ...SECURITY,
      parameters: [MACHINE],
      responses: { ...ERRORS, 200: json(ref('SecretList'), 'The names') },
    },
  },
  '/v1/machines/{id}/config/secrets/{name}': {
    put: {
      operationId: 'replaceMachineSecret',
      summary: 'Sets a value for the places at which the newest documents name it.',
      ...SECURITY,
      parameters: [MACHINE, NAME],
      requestBody: body(ref('NewSecret')),
      responses: { ...ERRORS, 200: json(ref('SavedSecret'), 'What it is for') },
    },
    delete: {
      operationId: 'removeMachineSecret',
      summary: 'Removes a value. The machine removes its copy when it asks next.',
      ...SECURITY,
      parameters: [MACHINE, NAME],
      responses: { ...ERRORS, 200: json(ref('SavedSecret'), 'What it was for') },
    },
  },
  '/v1/machines/{id}/config/secret-values': {
    get: {
      operationId: 'readMachineSecrets',
      summary: 'The values, for the own token of the machine alone; null for one that was removed.',
      ...SECURITY,
      parameters: [MACHINE],
      responses: { ...ERRORS, 200: json(ref('SecretValues'), 'The values') },
    },
  },
};
