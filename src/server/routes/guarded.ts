import type { Context } from 'hono';
import type { Result } from '../../core/index.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { RegistryOptions } from '../registry-options.ts';
import { loggedPath, peerOf, refusalAnswer, type TokenRefusal } from './bearer.ts';
import type { Caller } from './caller.ts';
import type { StoredToken } from '../tokens/token.ts';
import { problemOf } from '../problem.ts';

/** A response, or why the token does not allow the request. */
export type Answer = Response | TokenRefusal;

type ReadToken = (
  c: Context,
  catalogue: Catalogue,
  now: number,
) => Result<StoredToken, TokenRefusal>;

/** Answers requests whose token `read` accepts by `handle`. Logs each request that is refused or fails. */
export function answeringToken(
  read: ReadToken,
  {
    catalogue,
    clock,
    log,
  }: Pick<RegistryOptions, 'clock' | 'log'> & { readonly catalogue: Catalogue },
  handle: (c: Context, caller: Caller) => Answer | Promise<Answer>,
): (c: Context) => Promise<Response> {
  return async (c) => {
    const [now, peer] = [clock.now(), peerOf(c)];
    let token: StoredToken | undefined;
    try {
      const found = read(c, catalogue, now);
      if (!found.ok) return answered(c, found.error, { log, peer, token: tokenIn(found.error) });
      const { id } = (token = found.value);
      const changed: Caller['changed'] = (change) => log?.({ ...change, tokenId: id, peer });
      const answer = await handle(c, { catalogue, token, now, changed });
      return answered(c, answer, { log, peer, token });
    } catch (error) {
      // A client that hung up gets no response.
      if (!c.req.raw.signal.aborted) {
        logRefusal(c, { log, peer, token }, { status: problemOf(error).status, reason: undefined });
      }
      throw error;
    }
  };
}

/** What the log says of a request that needs a token. */
interface Audit extends Pick<RegistryOptions, 'log'> {
  readonly peer: string | undefined;
  readonly token: StoredToken | undefined;
}

/** The response for `answer`. A refusal is logged. */
function answered(c: Context, answer: Answer, audit: Audit): Response {
  const [response, reason] =
    answer instanceof Response ? [answer, undefined] : [refusalAnswer(answer), answer.kind];
  const { status } = response;
  // A limit of the server has an event of its own.
  if (status >= 400 && status !== 429 && status !== 503) logRefusal(c, audit, { status, reason });
  return response;
}

function logRefusal(
  c: Context,
  { log, peer, token }: Audit,
  refusal: { readonly status: number; readonly reason: TokenRefusal['kind'] | undefined },
): void {
  const { method } = c.req;
  log?.({ kind: 'refused', ...refusal, method, path: loggedPath(c), tokenId: token?.id, peer });
}

function tokenIn(refusal: TokenRefusal): StoredToken | undefined {
  return 'token' in refusal ? refusal.token : undefined;
}
