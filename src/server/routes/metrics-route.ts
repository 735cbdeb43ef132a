import type { Context, Hono } from 'hono';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { RegistryOptions } from '../registry-options.ts';
import { FLEET_READ } from '../tokens/scope.ts';
import { readToken } from './bearer.ts';
import { answeringToken } from './guarded.ts';
import { METRICS } from './module-route.ts';

/** Adds the metrics. Those of the fleet are for who may read the fleet (D210); a token that may not is refused, and not answered with less. */
export function addMetricsRoute(
  app: Hono,
  catalogue: Catalogue,
  {
    metrics,
    ...options
  }: Pick<RegistryOptions, 'clock' | 'log'> & {
    readonly metrics: NonNullable<RegistryOptions['metrics']>;
  },
): void {
  const answer = async (c: Context, of: 'server' | 'all'): Promise<Response> => {
    const { text, type } = await metrics(of);
    return c.body(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } });
  };
  const withToken = answeringToken(readToken, { catalogue, ...options }, async (c, { token }) =>
    token.scopes.includes(FLEET_READ)
      ? await answer(c, 'all')
      : { kind: 'missing-scope', token, scope: FLEET_READ },
  );
  app.get(METRICS, async (c) =>
    c.req.header('authorization') === undefined ? await answer(c, 'server') : await withToken(c),
  );
}
