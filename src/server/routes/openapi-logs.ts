import { json, problem, query, ref, WRITE_ERRORS } from './openapi-parts.ts';

const SECURITY = { security: [{ token: [] }] };
const TEXT = { type: 'string' };
const ERRORS = {
  ...WRITE_ERRORS,
  409: problem('no-logs: the registry is a front of a cluster. Nothing was changed.'),
  503: problem(
    'logs-unavailable: the file of logs cannot be used; nothing else is affected. Else as for other operations.',
  ),
};

/** The operations on what machines log. */
export const LOG_PATHS: object = {
  '/v1/logs': {
    post: {
      operationId: 'sendLogs',
      summary:
        'Takes an ExportLogsServiceRequest of OTLP/HTTP in JSON, also compressed with gzip, of the machine whose token is sent. A record with a known log.record.uid changes nothing.',
      ...SECURITY,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      responses: {
        ...ERRORS,
        200: json(
          ref('ExportedLogs'),
          'The records are on the disk, except for those that partialSuccess counts',
        ),
        415: problem(
          'The Content-Type is not application/json, or the Content-Encoding is not gzip',
        ),
      },
    },
  },
  '/v1/fleet/logs': {
    get: {
      operationId: 'readFleetLogs',
      summary: 'What machines logged: the lines that match, the newest first',
      ...SECURITY,
      parameters: [
        query('machine', 'Only of this machine', TEXT),
        query('module', 'Only about this module entry', TEXT),
        query('level', 'Only lines that are at least so severe', {
          enum: ['info', 'warn', 'error'],
        }),
        query('since', 'Only lines since then', { type: 'string', format: 'date-time' }),
        query('text', 'Only lines that have this text, in any case', TEXT),
        query('before', 'next of the page before', { type: 'integer', minimum: 0 }),
        query('limit', '100 by default', { type: 'integer', minimum: 1, maximum: 1000 }),
      ],
      responses: { ...ERRORS, 200: json(ref('SiteLines'), 'A page of lines') },
    },
  },
};
