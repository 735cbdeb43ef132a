import { body, FAILURES, json, problem, ref, VERSION, WRITE_ERRORS } from './openapi-parts.ts';

/** The operations on release notes. */
export const NOTES_PATHS: object = {
  '/v1/modules/{namespace}/{name}/releases/{version}/notes': {
    get: {
      operationId: 'readNotes',
      summary: 'The notes of a release, in Markdown',
      parameters: VERSION,
      responses: {
        ...FAILURES,
        200: json(ref('Notes'), 'The notes; null if it has none'),
        400: problem('The address cannot be read'),
        404: problem('There is no such module or version'),
      },
    },
    put: {
      operationId: 'addNotes',
      summary: 'Adds notes to a release that has none. They never change afterwards.',
      security: [{ token: [] }],
      parameters: VERSION,
      requestBody: body(ref('NewNotes')),
      responses: {
        ...WRITE_ERRORS,
        200: json(ref('AddedNotes'), 'The release has these notes already'),
        201: json(ref('AddedNotes'), 'The notes are stored on disk'),
        409: problem('The release has other notes. Nothing was changed.'),
      },
    },
  },
};
