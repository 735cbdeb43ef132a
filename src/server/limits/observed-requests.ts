import type { RequestListener } from 'node:http';
import type { RequestObserver } from '../request-observer.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const OTHER = 'other';

/** `admit` for requests that `observe` is told of. `paths` are the addresses, in the form of Hono. */
export function observed(
  admit: RequestListener,
  observe: RequestObserver,
  paths: readonly string[],
): RequestListener {
  const routes = paths.map((path) => {
    const pattern = path.replaceAll(/:\w+(?:\{[^/]*\})?/g, '[^/]+');
    const name = path.replaceAll(/:(\w+)(?:\{[^/]*\})?/g, '{$1}');
    return { pattern: new RegExp(`^${pattern}$`), name };
  });
  const routeOf = (url: string): string => {
    const [path = ''] = url.split('?', 1);
    return routes.find(({ pattern }) => pattern.test(path))?.name ?? OTHER;
  };
  return (request, response) => {
    const { method = '', url = '' } = request;
    const start = performance.now();
    const end = observe(routeOf(url));
    response.once('close', () => {
      end({
        method: METHODS.has(method) ? method : OTHER,
        status: response.headersSent ? `${response.statusCode}` : 'none',
        seconds: (performance.now() - start) / 1000,
      });
    });
    admit(request, response);
  };
}
