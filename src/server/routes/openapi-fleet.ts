import {
  body,
  FAILURES,
  json,
  MODULE,
  path,
  problem,
  query,
  ref,
  WRITE_ERRORS,
} from './openapi-parts.ts';

const SECURITY = { security: [{ token: [] }] };
const READ_ERRORS = {
  ...FAILURES,
  400: problem('The address or a parameter cannot be read'),
  401: WRITE_ERRORS[401],
  403: WRITE_ERRORS[403],
};

/** The operations on machine reports. */
export const FLEET_PATHS: object = {
  '/v1/machines/{id}/reports': {
    post: {
      operationId: 'reportMachine',
      summary: 'Takes a report of a machine. A report that is sent again changes nothing.',
      ...SECURITY,
      parameters: [path('id', 'The machine whose token is sent')],
      requestBody: body(ref('MachineReport')),
      responses: {
        ...WRITE_ERRORS,
        200: json(
          ref('Known'),
          'The report is on the disk. The registry has outcomes up to known_to',
        ),
        409: problem(
          'gap: outcomes between known_to and the report are missing. duplicate-machine: two processes report under the id. Nothing was changed.',
        ),
      },
    },
  },
  '/v1/join': {
    post: {
      operationId: 'joinMachine',
      summary:
        'Exchanges the code of an invitation, sent as the token, for the token of its machine. The code ends, and so do earlier tokens of the machine.',
      ...SECURITY,
      requestBody: body(ref('Joining')),
      responses: {
        ...WRITE_ERRORS,
        201: json(ref('JoinedMachine'), 'The fields of its credentials file'),
        401: problem('The code is missing, unknown, expired or used'),
        403: problem('The code is for another machine'),
      },
    },
  },
  '/v1/fleet': {
    get: {
      operationId: 'summarizeFleet',
      summary: 'How many machines have which version of each module, and what they decide',
      ...SECURITY,
      responses: { ...READ_ERRORS, 200: json(ref('FleetCounts'), 'The counts') },
    },
  },
  '/v1/fleet/machines': {
    get: {
      operationId: 'listMachines',
      summary: 'Machines in the order of their ids, with their modules that match',
      ...SECURITY,
      parameters: [
        query('module', 'Only machines with this module', ref('ModuleId')),
        query('version', 'Only machines that have this version of a module', { type: 'string' }),
        query('stuck', 'true: only machines with a module that is stuck', { type: 'string' }),
        query('failing', 'true: only machines on which something fails', { type: 'string' }),
        query('quiet', 'true: only machines that are quiet', { type: 'string' }),
        query('silent', 'true: only machines that are silent', { type: 'string' }),
        query('retired', 'true: only machines that are retired, which no other list has', {
          type: 'string',
        }),
        query('after', 'The last id of the page before', { type: 'string' }),
        query('limit', '100 by default', { type: 'integer', minimum: 1, maximum: 1000 }),
      ],
      responses: { ...READ_ERRORS, 200: json(ref('FleetMachines'), 'A page of machines') },
    },
  },
  '/v1/fleet/failures': {
    get: {
      operationId: 'listFailures',
      summary: 'What failed lately, and what is tried again now, in groups of a reason',
      ...SECURITY,
      parameters: [
        query('namespace', 'Only of the modules of this namespace', { type: 'string' }),
        query('module', 'Only of this module', ref('ModuleId')),
        query('version', 'Only of this version', { type: 'string' }),
        query('seconds', 'Of the last so many seconds; 86400 by default', {
          type: 'integer',
          minimum: 1,
          maximum: 7_776_000,
        }),
      ],
      responses: { ...READ_ERRORS, 200: json(ref('FleetFailures'), 'The failures') },
    },
  },
  '/v1/fleet/machines/{id}/retired': {
    put: {
      operationId: 'retireMachine',
      summary:
        'Takes a machine out of counts and rollouts until it reports again. Its outcomes stay. A retired machine stays as it is.',
      ...SECURITY,
      parameters: [path('id', 'The machine')],
      responses: {
        ...READ_ERRORS,
        200: json(ref('RetiredMachine'), 'When it was retired, and by whom'),
        404: problem('unknown-machine: no machine has reported under the id'),
      },
    },
  },
  '/v1/fleet/modules/{namespace}/{name}': {
    get: {
      operationId: 'readModuleInFleet',
      summary: 'What machines report about a module, with the machines that report the same',
      ...SECURITY,
      parameters: [
        ...MODULE,
        query('after', 'next of the page before', { type: 'integer', minimum: 0 }),
      ],
      responses: { ...READ_ERRORS, 200: json(ref('FleetModule'), 'A page of states') },
    },
  },
  '/v1/fleet/modules/{namespace}/{name}/outcomes': {
    get: {
      operationId: 'listModuleOutcomes',
      summary:
        'Which machines run a module, and where it failed, is tried again or was rolled back',
      ...SECURITY,
      parameters: [
        ...MODULE,
        query('version', 'Only of this version', { type: 'string' }),
        query('seconds', 'Of the last so many seconds; 2592000 by default', {
          type: 'integer',
          minimum: 1,
          maximum: 7_776_000,
        }),
      ],
      responses: { ...READ_ERRORS, 200: json(ref('ModuleOutcomes'), 'The outcomes') },
    },
  },
};
