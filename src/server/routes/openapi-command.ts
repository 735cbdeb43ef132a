import { body, json, path, problem, query, ref, WRITE_ERRORS } from './openapi-parts.ts';

const SECURITY = { security: [{ token: [] }] };
const MACHINE = path('id', 'The machine');
const GROUP = path('group', 'The group of the machines, as they reported it');
const GROUP_ERRORS = {
  ...WRITE_ERRORS,
  409: problem('older-front: a front of the cluster could not read it. Nothing was changed.'),
};
const ERRORS = {
  ...WRITE_ERRORS,
  409: problem(
    'too-many-commands: 20 commands of the machine wait. older-front: a front of the cluster could not read it. Nothing was changed.',
  ),
};

/** The operations on commands to machines. */
export const COMMAND_PATHS: object = {
  '/v1/machines/{id}/commands': {
    get: {
      operationId: 'listMachineCommands',
      summary:
        'With the scope commands, the newest 100 commands to a machine with their outcomes; for its own token, those that wait, in an answer that the registry signs as that to /v1/changes.',
      ...SECURITY,
      parameters: [
        MACHINE,
        query('nonce', 'Of a machine: 16 random bytes in base64url, which the answer repeats', {
          type: 'string',
        }),
      ],
      responses: {
        ...ERRORS,
        200: json({ anyOf: [ref('CommandList'), ref('WaitingCommands')] }, 'The commands'),
      },
    },
    put: {
      operationId: 'giveMachineCommand',
      summary:
        'Gives a machine a command, which it carries out once. The same key gives the same command. It expires after expires_in seconds, an hour by default.',
      ...SECURITY,
      parameters: [MACHINE],
      requestBody: body(ref('NewCommand')),
      responses: { ...ERRORS, 200: json(ref('GivenCommand'), 'The command waits') },
    },
  },
  '/v1/groups/{group}/commands': {
    get: {
      operationId: 'listGroupCommands',
      summary: 'The newest 1,000 commands to the machines that are in the group now.',
      ...SECURITY,
      parameters: [GROUP],
      responses: { ...GROUP_ERRORS, 200: json(ref('GroupCommandList'), 'The commands') },
    },
    put: {
      operationId: 'giveGroupCommand',
      summary:
        'Gives each machine that is in the group now a command with a number of its own, except those that cannot be commanded.',
      ...SECURITY,
      parameters: [GROUP],
      requestBody: body(ref('NewCommand')),
      responses: { ...GROUP_ERRORS, 200: json(ref('GivenToGroup'), 'The commands wait') },
    },
  },
  '/v1/machines/{id}/commands/outcomes': {
    put: {
      operationId: 'answerMachineCommands',
      summary: 'What a machine answers. The first answer to a command counts.',
      ...SECURITY,
      parameters: [MACHINE],
      requestBody: body(ref('CommandOutcomes')),
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
