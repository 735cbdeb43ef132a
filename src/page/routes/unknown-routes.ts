import type { Hono } from 'hono';
import { quote } from '../../core/text/quote.ts';
import type { Frame } from '../frame.tsx';
import type { PageProblem } from '../page-problem.ts';
import { problemAnswer } from '../problem-answer.ts';

const PAGE_HINT = 'GET /v1/openapi.json describes what there is';

/**
 * Answers requests that no route has (T172), so it is called once all routes are added. An address that has routes of other
 * methods says which (T213). A program gets a problem, a person a page that leads on.
 */
export function addUnknownRoutes(app: Hono, frame: Frame, hint: string = PAGE_HINT): void {
  for (const [route, methods] of methodsByPath(app)) {
    const allow = methods.join(', ');
    app.all(route, async (c) => {
      const { method, path } = c.req;
      const message = `${quote(path)} has no ${quote(method)}, only ${allow}; nothing was changed`;
      const problems: PageProblem[] = [{ code: 'METHOD_NOT_ALLOWED', message }];
      const answer = path.startsWith('/v1/')
        ? problemAnswer(problems)
        : await frame.failed(c, problems, 405);
      answer.headers.set('allow', allow);
      return answer;
    });
  }
  app.notFound((c) => {
    const { method, path } = c.req;
    const message = `there is no ${quote(`${method} ${path}`)}`;
    if (!path.startsWith('/v1/')) {
      return frame.failed(c, [{ code: 'UNKNOWN_REFERENCE', message }], 404);
    }
    return problemAnswer([{ code: 'UNKNOWN_REFERENCE', message, hint }]);
  });
}

function methodsByPath({ routes }: Hono): Map<string, string[]> {
  // What is used for each method is no route, but runs before one.
  const own = routes.filter(({ method }) => method !== 'ALL');
  const paths = Map.groupBy(own, ({ path }) => path);
  return new Map(
    [...paths].map(([path, group]) => [path, [...new Set(group.map(({ method }) => method))]]),
  );
}
