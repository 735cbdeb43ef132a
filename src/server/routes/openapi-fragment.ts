import { body, json, path, problem, ref, WRITE_ERRORS } from './openapi-parts.ts';

const SECURITY = { security: [{ token: [] }] };
const NAME = path('name', 'The fragment');
const ERRORS = {
  ...WRITE_ERRORS,
  404: problem('unknown-config: the registry has no such fragment'),
  409: problem(
    'stale-config: based on another revision than the newest, or machines got other documents meanwhile. older-front: a front of the cluster could not read it. Nothing was changed.',
  ),
};

/** The operations on what documents of machines share. */
export const FRAGMENT_PATHS: object = {
  '/v1/fragments': {
    get: {
      operationId: 'listFragments',
      summary: 'The fragments, each with the number of machines whose documents use it.',
      ...SECURITY,
      responses: { ...ERRORS, 200: json(ref('FragmentList'), 'The fragments') },
    },
  },
  '/v1/fragments/{name}': {
    get: {
      operationId: 'readFragment',
      summary: 'The newest revision of a fragment, and the machines whose documents use it.',
      ...SECURITY,
      parameters: [NAME],
      responses: { ...ERRORS, 200: json(ref('ShownFragment'), 'The fragment') },
    },
    put: {
      operationId: 'replaceFragment',
      summary:
        'Saves the next revision, and the documents of the machines that it changes; with dry_run, only says which.',
      ...SECURITY,
      parameters: [NAME],
      requestBody: body(ref('NewFragment')),
      responses: { ...ERRORS, 200: json(ref('SavedFragment'), 'What it does') },
    },
  },
};
