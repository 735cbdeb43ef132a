import { FAILURES, json, MODULE, path, problem, ref, WRITE_ERRORS } from './openapi-parts.ts';

const SHA256 = path('sha256', 'The sha256 of the file: 64 hexadecimal digits in lower case');
const FILE = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

/** The addresses of hosted files in the OpenAPI document. */
export const ARTIFACT_PATHS: object = {
  '/v1/artifacts/sha256/{sha256}': {
    get: {
      operationId: 'readArtifact',
      summary: 'A file that the registry hosts. A HEAD request has the same headers.',
      parameters: [SHA256],
      responses: {
        ...FAILURES,
        200: {
          description: 'The file, with its sha256 as a strong ETag; it never changes',
          content: FILE,
        },
        206: { description: 'The one range of bytes in Range', content: FILE },
        304: { description: 'The client has the file: its ETag is in If-None-Match' },
        400: problem('The address does not contain a sha256'),
        404: problem('No release lists the file, and it was not uploaded'),
        416: problem('The file does not have the bytes in Range'),
        500: problem('The registry had an internal error, or has lost the file'),
      },
    },
  },
  '/v1/modules/{namespace}/{name}/artifacts/sha256/{sha256}': {
    put: {
      operationId: 'uploadArtifact',
      summary: 'Stores a file for a release of a module, at most 1 GiB, unless the registry has it',
      security: [{ token: [] }],
      parameters: [...MODULE, SHA256],
      requestBody: { required: true, content: FILE },
      responses: {
        ...WRITE_ERRORS,
        200: json(ref('Uploaded'), 'The registry has the file already; it did not read the body'),
        201: json(ref('Uploaded'), 'The file is stored on disk'),
        411: problem('The request has no Content-Length'),
        413: problem('The file is larger than 1 GiB'),
        422: problem('The bytes do not have the sha256 in the address. Nothing was stored.'),
        429: problem('The token has too many uploads. Retry after the seconds in Retry-After.'),
        503: problem('There are too many uploads. Retry after the seconds in Retry-After.'),
      },
    },
  },
};
