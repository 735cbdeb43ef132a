import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { escapeUnprintableInJson } from '../core/text/quote.ts';
import type { PageProblem } from './page-problem.ts';

/** The statuses of codes; that of any other code is 409: the machine is not in a state for what was asked. */
const STATUSES: Readonly<Record<string, ContentfulStatusCode>> = {
  BAD_BODY: 400,
  UNKNOWN_REFERENCE: 404,
  UNKNOWN_VERSION: 404,
  NOT_RECORDED: 404,
  METHOD_NOT_ALLOWED: 405,
  CHANGED_MEANWHILE: 412,
  TOO_LARGE: 413,
  NOT_JSON: 415,
  BAD_FIELD: 422,
  BAD_CONSTRAINT: 422,
  BAD_VERSION: 422,
  OUT_OF_RANGE: 422,
  BAD_MODULE_ID: 422,
  DOCUMENT_HAS_ERRORS: 422,
  KEY_REUSED: 422,
  NO_ETAG: 428,
  UNREADABLE_FILE: 500,
  STATE_UNREADABLE: 500,
  STATE_WRITE: 500,
  LOCKED: 503,
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read',
  404: 'The machine does not have this',
  405: 'The address does not support this method',
  409: 'This cannot be done now',
  412: 'The document was changed meanwhile',
  413: 'The body is too large',
  415: 'The body is not application/json',
  422: 'The body has errors',
  428: 'If-Match is required',
  500: 'The files of the machine cannot be used',
  503: 'Another process uses the file',
};

/** The status of a response whose first problem is this one. */
export function statusOf([first]: readonly PageProblem[]): ContentfulStatusCode {
  return STATUSES[first?.code ?? ''] ?? 409;
}

/** A document of the command line as a response. */
export function documentAnswer(document: object, end: '' | '\n' = ''): Response {
  const headers = { 'content-type': 'application/json' };
  const text = escapeUnprintableInJson(JSON.stringify(document));
  return new Response(text + end, { headers });
}

/** The problems as a response (RFC 9457). */
export function problemAnswer(
  problems: readonly PageProblem[],
  status: ContentfulStatusCode = statusOf(problems),
): Response {
  const [{ code, message } = { code: 'INTERNAL', message: 'nothing was changed' }] = problems;
  const body = {
    type: `urn:modreg:${code.toLowerCase().replaceAll('_', '-')}`,
    title: TITLES[status],
    status,
    detail: message,
    problems,
  };
  const headers = { 'content-type': 'application/problem+json' };
  return new Response(`${JSON.stringify(body)}\n`, { status, headers });
}
