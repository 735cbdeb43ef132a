import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { MetricsText } from '../../server/registry-options.ts';
import type { Problem } from '../../base/problem.ts';
import { isOpenToOthers, type MetricsPlace } from '../base/metrics-place.ts';

/** A listener that serves metrics at `/metrics`, and nothing else. */
export interface MetricsListener {
  readonly address: string;
  readonly close: () => void;
}

const CONNECTIONS = 16;
const REQUEST_MS = 5000;
const LIMITS = {
  headersTimeout: REQUEST_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: REQUEST_MS,
};

/** What a person is told of a listener. */
export function metricsNote({ address }: MetricsListener, place: MetricsPlace | undefined): string {
  const others = place && isOpenToOthers(place) ? ', which others on the network can read' : '';
  return `note: the metrics are at ${address}${others}`;
}

/** Serves the result of `scrape` at `place`. The error says why the address cannot be used. */
export async function listenForScrapes(
  { host, port }: MetricsPlace,
  scrape: () => Promise<MetricsText>,
): Promise<Result<MetricsListener, Problem>> {
  const server = createServer(LIMITS, (request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') return void response.writeHead(404).end();
    scrape().then(
      ({ text, type }) => response.writeHead(200, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = CONNECTIONS;
  server.setTimeout(REQUEST_MS);
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
  server.once('error', resolve);
  server.listen({ host, port }, () => resolve(undefined));
  const error = await promise;
  if (error) return { ok: false, error: cannotListen({ host, port }, error) };
  const { family, address, port: actual } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const at = family === 'IPv6' ? `[${address}]` : address;
  return { ok: true, value: { address: `http://${at}:${actual}/metrics`, close } };
}

function cannotListen({ host, port }: MetricsPlace, { code }: NodeJS.ErrnoException): Problem {
  const message = `--metrics: cannot listen on ${excerpt(host)}, port ${port} (${code})`;
  const hint = code === 'EADDRINUSE' ? 'port 0 selects a free port' : undefined;
  return { severity: 'error', kind: 'usage', message, hint };
}
