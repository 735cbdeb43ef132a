import type { Context, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Frame } from './frame.tsx';

interface ProblemDocument {
  readonly title: string;
  readonly detail: string;
}

const API = '/v1/';

/** Shows a browser a page in place of a problem document, with its status and its headers (T801). Programs get the document. */
export function problemPages(frame: Frame): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { res } = c;
    if (!isForBrowser(c) || res.headers.get('content-type') !== 'application/problem+json') return;
    // Cast: each answer with this type is such a document.
    const { title, detail } = (await res.json()) as ProblemDocument;
    // Cast: a problem has a status of an error, whose answer has a body.
    c.status(res.status as ContentfulStatusCode);
    c.res = await frame.open(
      c,
      'Problem',
      <>
        <h1>{title}</h1>
        <p role="alert">{detail}</p>
      </>,
    );
  };
}

function isForBrowser(c: Context): boolean {
  const accepts = c.req.header('accept')?.includes('text/html') ?? false;
  return accepts && !c.req.path.startsWith(API);
}
