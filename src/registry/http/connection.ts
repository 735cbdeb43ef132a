import { quote } from '../../core/text/quote.ts';
import type { Secret } from '../../core/text/secret.ts';
import type { Clock } from '../clock.ts';
import { RegistryError } from '../registry-error.ts';
import type { RequestContext } from '../remote-registry.ts';
import { retrying } from '../retry.ts';
import { exchange, type Inquiry, type Reply } from './exchange.ts';
import type { Limits } from './limits.ts';
import { readRetryAfter } from './retry-after.ts';

/** How a registry is asked. */
export interface HttpOptions {
  /** Called for each request. The token is sent to the registry's own origin, and nowhere else. */
  readonly token?: (() => Secret | undefined) | undefined;
  readonly limits: Limits;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Told when a request is about to be repeated, with what failed and in how many milliseconds. */
  readonly onRetry: (error: RegistryError, delayMs: number) => void;
  /** The global one unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How one request is answered: over the network unless given. */
  readonly exchange?: typeof exchange;
}

/** Requests to one registry. */
export interface Connection {
  /** The registry, for a person, escaped. */
  readonly where: string;
  readonly limits: Limits;
  /**
   * The answer of status 200, of 304 where `etag` is sent, or of 404. Throws a RegistryError for
   * everything else.
   */
  get(
    url: URL,
    inquiry: Pick<Inquiry, 'accept' | 'etag' | 'largest' | 'mostTokens' | 'waitMs'>,
    round: RequestContext,
  ): Promise<Reply>;
  /** What `work` comes to. An error that repeats the token of the last request, as the answer did, hides it. */
  readonly silently: <T>(work: () => Promise<T>) => Promise<T>;
}

const UNEXPECTED_304_TRIES = 2;

export function connect(where: string, options: HttpOptions): Connection {
  const { limits, clock, fetch, exchange: answer = exchange } = options;
  let sent: Secret | undefined;
  return {
    where,
    limits,
    async get(url, inquiry, { budget, signal }) {
      const ask = async (): Promise<Reply> => {
        const token = tokenOf(where, options);
        sent = token;
        const reply = await silent(
          () => token,
          async () =>
            await answer({ ...inquiry, url, where, token, fetch }, { limits, clock, signal }),
        );
        checkStatus(reply, where, { hasToken: token !== undefined, now: clock.now() });
        return reply;
      };
      for (let tries = 0; tries < UNEXPECTED_304_TRIES; tries++) {
        const { patienceMs } = limits;
        const reply = await retrying(ask, { ...options, patienceMs, budget, signal });
        if (reply.status !== 304 || inquiry.etag !== undefined) return reply;
      }
      const message = `${where} does not answer as a registry: got 304 though nothing was known`;
      throw new RegistryError('not-a-registry', message);
    },
    silently: async (work) => await silent(() => sent, work),
  };
}

/** What a header can hold. An error for any other text would repeat it. */
const TOKEN = /^[!-~]+$/;

function tokenOf(where: string, { token }: HttpOptions): Secret | undefined {
  let found: Secret | undefined;
  try {
    found = token?.();
  } catch (cause) {
    const message = `${where} was not contacted: the function that gives its token failed`;
    throw new RegistryError('registry-refused', message, { cause });
  }
  if (!found || TOKEN.test(found.reveal())) return found;
  const message = `${where} was not contacted: its token is not printable ASCII without blanks`;
  throw new RegistryError('registry-refused', message);
}

/** What `work` comes to; an error that repeats the token, as the answer did, does not leave here. */
async function silent<T>(
  tokenOfWork: () => Secret | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const token = tokenOfWork()?.reveal();
    if (!(error instanceof RegistryError) || token === undefined) throw error;
    const { kind, message, suggestion, hint, retryAfterMs } = error;
    if (![message, suggestion, hint].some((text) => text?.includes(token))) throw error;
    const without = (text: string): string => text.replaceAll(token, '[token]');
    throw new RegistryError(kind, without(message), {
      suggestion: suggestion && without(suggestion),
      hint: hint && without(hint),
      retryAfterMs,
    });
  }
}

const ANSWERS = new Set([200, 304, 404]);
const BUSY = new Set([408, 425, 429]);

function checkStatus(
  { status, headers }: Reply,
  where: string,
  { hasToken, now }: { readonly hasToken: boolean; readonly now: number },
): void {
  if (ANSWERS.has(status)) return;
  if (status === 401 || status === 403 || status === 407) {
    const sent = hasToken ? 'with the token that was sent' : 'without a token';
    throw new RegistryError('registry-refused', `${where} refuses us ${sent} (${status})`);
  }
  if (BUSY.has(status) || status >= 500) {
    const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
    const later =
      retryAfterMs === undefined
        ? ''
        : `, and asks to come back in ${Math.ceil(retryAfterMs / 1000)} s`;
    const message = `${where} is busy or failing (${status})${later}`;
    throw new RegistryError('registry-busy', message, { retryAfterMs });
  }
  throw new RegistryError(
    'not-a-registry',
    `${where} does not answer as a registry: got ${status}`,
  );
}

/** That a module is not there, which a server that is no registry says too. */
export function notFound(what: string, where: string, { headers }: Reply): RegistryError {
  const type = headers.get('content-type') ?? 'no content-type';
  const hint = /json/i.test(type)
    ? undefined
    : `the answer is ${quote(type)}, not JSON: is a registry at this address?`;
  return new RegistryError('unknown-module', `${where} has no module ${what}`, { hint });
}
