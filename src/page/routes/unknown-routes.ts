import type { Hono } from 'hono';
import { quote } from '../../core/text/quote.ts';
import type { Frame } from '../frame.tsx';
import { problemAnswer } from '../problem-answer.ts';

const PAGE_HINT = 'GET /v1/openapi.json describes what there is';

/** Answers requests that no route has (T172): a program gets a problem, a person a page that leads on. */
export function addUnknownRoutes(app: Hono, frame: Frame, hint: string = PAGE_HINT): void {
  app.notFound((c) => {
    const { method, path } = c.req;
    const message = `there is no ${quote(`${method} ${path}`)}`;
    if (!path.startsWith('/v1/')) {
      return frame.failed(c, [{ code: 'UNKNOWN_REFERENCE', message }], 404);
    }
    return problemAnswer([{ code: 'UNKNOWN_REFERENCE', message, hint }]);
  });
}
