import { body, FAILURES, json, problem, ref, VERSION, WRITE_ERRORS } from './openapi-parts.ts';

const SECURITY = { security: [{ token: [] }] };
const READ_ERRORS = { ...FAILURES, 401: WRITE_ERRORS[401], 403: WRITE_ERRORS[403] };

/** The operations on staged rollouts. */
export const ROLLOUT_PATHS: object = {
  '/v1/modules/{namespace}/{name}/releases/{version}/rollout': {
    get: {
      operationId: 'readRollout',
      summary: 'The staged rollout of a release, and what its machines reported',
      ...SECURITY,
      parameters: VERSION,
      responses: {
        ...READ_ERRORS,
        200: json(ref('Rollout'), 'The rollout'),
        400: problem('The address cannot be read'),
        404: problem('There is no such module or version, or it has no rollout'),
      },
    },
    post: {
      operationId: 'changeRollout',
      summary:
        'Starts, halts, resumes, raises or retracts the rollout of a release. Each change is an event that names the last one.',
      ...SECURITY,
      parameters: VERSION,
      requestBody: body(ref('RolloutChange')),
      responses: {
        ...WRITE_ERRORS,
        200: json(ref('Rollout'), 'The event is stored on disk'),
        409: problem(
          'stale-rollout: after is not the last event. rollout-conflict: the rollout does not allow it. Nothing was changed.',
        ),
      },
    },
  },
  '/v1/fleet/rollouts': {
    get: {
      operationId: 'listRollouts',
      summary: 'All staged rollouts, by module and version',
      ...SECURITY,
      responses: { ...READ_ERRORS, 200: json(ref('Rollouts'), 'The rollouts') },
    },
  },
};
