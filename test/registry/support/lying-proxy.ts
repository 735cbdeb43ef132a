import { plainServer } from '../../../mocks/plain-server.ts';

/** An answer of the registry, as the proxy passes it on. */
export interface Passed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Asks the registry for a path, with the headers of the request. */
type Ask = (path: string) => Promise<Passed>;

/** What a proxy answers to a request. */
export type Lie = (path: string, ask: Ask) => Promise<Passed>;

export const HONEST: Lie = async (path, ask) => await ask(path);

/** The headers of a connection, and not of an answer. */
const OWN = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding']);

export interface LyingProxy {
  readonly address: string;
  readonly requests: readonly string[];
  lie: Lie;
}

/** A server on loopback between a machine and the registry at `to`, which passes on what `lie` says. */
export async function lyingProxy(to: string): Promise<LyingProxy> {
  const { address, requests } = await plainServer((response, request) => {
    const headers: Record<string, string> = {};
    for (const name of ['if-none-match', 'modreg-at-least', 'modreg-history']) {
      const value = request.headers[name];
      if (typeof value === 'string') headers[name] = value;
    }
    const ask: Ask = async (path) => {
      const answer = await fetch(`${to}${path}`, { headers });
      const passed = [...answer.headers].filter(([name]) => !OWN.has(name));
      return {
        status: answer.status,
        headers: Object.fromEntries(passed),
        body: await answer.text(),
      };
    };
    const answered = proxy.lie(request.url ?? '', ask);
    void answered.then(
      (passed) => response.writeHead(passed.status, passed.headers).end(passed.body),
      () => response.destroy(),
    );
  });
  const proxy: LyingProxy = { address, requests, lie: HONEST };
  return proxy;
}
