import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenForScrapes } from '../metrics/metrics-listener.ts';
import type { Problem } from '../../base/problem.ts';
import { cannotListen } from '../base/cannot-listen.ts';
import type { ServeCommandOptions, ServeTerms } from './serve-terms.ts';

/**
 * Why a server cannot listen, before its registry file is created: other commands would use the empty file of a server that never
 * ran (T227).
 */
export async function whyNoPlace(
  options: Pick<ServeCommandOptions, 'host'> & Pick<ServeTerms, 'port' | 'metrics'>,
): Promise<Problem | undefined> {
  const { host, port, metrics } = options;
  const scrapes = metrics && (await listenForScrapes(metrics, nothingYet));
  if (scrapes?.ok === false) return scrapes.error;
  scrapes?.value.close();
  const server = createServer().listen({ host, port });
  try {
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return cannotListen(options, error);
  } finally {
    server.close();
  }
}

async function nothingYet(): Promise<never> {
  return await Promise.reject(new Error('nothing is served yet'));
}
