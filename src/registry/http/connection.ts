import { excerpt, quote } from '../../core/text/quote.ts';
import { passing, say, toldAs } from '../../core/text/time-words.ts';
import type { Secret } from '../../core/text/secret.ts';
import type { Clock } from '../clock.ts';
import { RegistryError } from '../registry-error.ts';
import type { RequestContext } from '../remote-registry.ts';
import { retrying } from '../retry.ts';
import type { BodyBounds } from './body.ts';
import { denial, type SignedIn } from './denial.ts';
import { addressed } from './error-context.ts';
import { exchange, type Change, type RegistryRequest, type Reply } from './exchange.ts';
import type { Limits } from './limits.ts';
import { eitherHint, proxyDenial } from './network-failure.ts';
import { problemIn } from './problem-document.ts';
import { limitReached } from './request-limit.ts';
import { BEARER, type Authorization, type RegistryAccess } from './registry-access.ts';
import { masked } from './masking.ts';
import { readRetryAfter, retryAfterWords } from './retry-after.ts';

/** How requests are sent to a registry. */
export interface HttpOptions {
  /** Called for each request. The token is sent to the registry's origin only. */
  readonly token?: (() => Secret | undefined) | undefined;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  /** Called before each retry with the error and the delay in milliseconds. */
  readonly onRetry: (error: RegistryError, delayMs: number) => void;
  /** Called with the time at which a server with a verified certificate says that it responded (D57). */
  readonly onDate?: ((at: number) => void) | undefined;
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The machine follows the documents that a registry serves, which its waits for changes then end for. */
  readonly following?: Following | undefined;
  /** Answers what an OCI registry asks for; absent for others. */
  readonly access?: RegistryAccess | undefined;
  /** Sends one request; over the network by default. */
  readonly exchange?: typeof exchange;
}

/** How the wait of a machine for changes is one for its documents as well (D267). */
export interface Following {
  /** That of the registry that serves the documents. */
  readonly origin: string;
  /** The tag of the documents that the machine knows; empty for none. */
  readonly known: () => string;
  /** The highest number of a command that the machine has taken; 0 for none. */
  readonly taken: () => number;
  /** Called when others are served, or a command is. */
  readonly onNews: () => void;
}

/** Sends requests to one registry. */
export interface Connection {
  /** The registry, for a person, escaped. */
  readonly where: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly following: Following | undefined;
  /** Whether requests carry a token. */
  readonly hasToken: () => boolean;
  /** The response, if its status is 200, 404, in `answered`, or 304 to a request with an `etag`. Throws a RegistryError otherwise. */
  get(
    url: URL,
    request: Pick<
      RegistryRequest,
      | 'accept'
      | 'etag'
      | 'waitMs'
      | 'atLeast'
      | 'readsDenial'
      | 'mayLeave'
      | 'answered'
      | Exclude<keyof BodyBounds, 'where'>
    >,
    round: RequestContext,
  ): Promise<Reply>;
  /**
   * The response to a request that changes something, if its status is 200, 201, or below 500 and about the change, or it is the problem `storage-full`. Repeats
   * the request like `get`, so repeating it must change nothing more.
   */
  send(url: URL, change: Change, round: RequestContext): Promise<Reply>;
  /** The result of `work`. In a RegistryError that repeats the token of the last request, the token is replaced. */
  readonly redacting: <T>(work: () => Promise<T>) => Promise<T>;
}

const UNEXPECTED_304_TRIES = 2;

type OwnRequest = Omit<RegistryRequest, 'where' | 'token' | 'fetch'>;

export function connect(where: string, options: HttpOptions): Connection {
  const { limits, clock, following } = options;
  let [sent, last]: [readonly Secret[], SignedIn['sent']] = [[], undefined];
  const answer = async (request: OwnRequest, round: RequestContext): Promise<Reply> => {
    const attempt = async (): Promise<Reply> => {
      const token = tokenOf(where, options);
      const reply = await sending({ ...request, where }, token, {
        options,
        signal: round.signal,
        onSent: (secrets, authorization) => {
          sent = secrets;
          last = authorization;
        },
      });
      const signedIn = { hasToken: token !== undefined, sent: last };
      return checked(reply, { ...request, where }, { options, ...signedIn });
    };
    const { budget, signal } = round;
    const retries = { ...options, retryWithinMs: limits.retryWithinMs, budget, signal };
    return await addressed(request.url, async () => await retrying(attempt, retries));
  };
  return {
    where,
    limits,
    clock,
    following,
    hasToken: () => tokenOf(where, options) !== undefined,
    async get(url, request, round) {
      for (let tries = 0; tries < UNEXPECTED_304_TRIES; tries++) {
        const reply = await answer({ ...request, url }, round);
        if (reply.status !== 304 || request.etag !== undefined) return reply;
      }
      const message = `${where} does not respond like a registry: got 304 to a request without an entity tag`;
      throw new RegistryError('not-a-registry', message);
    },
    send: async (url, change, round) =>
      await answer({ url, change, accept: 'application/json', ...ANSWER_BOUNDS }, round),
    redacting: async (work) => await redactingTokens(() => sent, work),
  };
}

/** The response to a request, if it is one that the request allows. */
function checked(
  reply: Reply,
  { url, where, answered, change }: OwnRequest & Pick<RegistryRequest, 'where'>,
  { options, ...signedIn }: { readonly options: HttpOptions } & SignedIn,
): Reply {
  noteDate(url, reply, options);
  if (answered?.has(reply.status) !== true) {
    const now = options.clock.now();
    const request = { url, fetch: options.fetch };
    checkStatus(reply, where, { ...signedIn, now, request, isChange: change !== undefined });
  }
  return { ...reply, url };
}

/** The response to a request, which an OCI registry may have wanted to be authorized. */
async function sending(
  request: OwnRequest & Pick<RegistryRequest, 'where'>,
  token: Secret | undefined,
  {
    options,
    signal,
    onSent,
  }: {
    readonly options: HttpOptions;
    readonly signal: AbortSignal | undefined;
    readonly onSent: (secrets: readonly Secret[], authorization: Authorization | undefined) => void;
  },
): Promise<Reply> {
  const { limits, clock, fetch, access = BEARER, exchange: send = exchange } = options;
  const context = { limits, clock, signal };
  const authorized = async (authorization?: Authorization): Promise<Reply> => {
    const secrets = [authorization?.token ?? [], authorization?.secrets ?? []].flat();
    onSent(secrets, authorization);
    const whole = { ...request, ...authorization, fetch };
    return await redactingTokens(
      () => secrets,
      async () => await send(whole, context),
    );
  };
  return await access.sending({ url: request.url, token }, context, authorized);
}

/** A redirect stays at the origin, so that the whole response came over https. A cache adds how long it kept the response. */
function noteDate({ protocol }: URL, { headers }: Reply, { onDate }: HttpOptions): void {
  const date = Date.parse(headers.get('date') ?? '');
  const [seconds = 0] = /^\d{1,9}$/.exec(headers.get('age') ?? '') ?? [];
  if (protocol === 'https:' && !Number.isNaN(date)) onDate?.(date + Number(seconds) * 1000);
}

/** The characters that a header allows. The error of `fetch` for any other text would repeat the token. */
const TOKEN = /^[!-~]+$/;

export function tokenOf(where: string, { token }: Pick<HttpOptions, 'token'>): Secret | undefined {
  let found: Secret | undefined;
  try {
    found = token?.();
  } catch (cause) {
    if (cause instanceof RegistryError) throw cause;
    const message = `${where} was not contacted: the function that returns its token threw an error`;
    throw new RegistryError('registry-refused', message, { cause });
  }
  if (!found || TOKEN.test(found.reveal())) return found;
  const message = `${where} was not contacted: its token is not printable ASCII without spaces`;
  throw new RegistryError('registry-refused', message);
}

/** The result of `work`. In a RegistryError that repeats one of the secrets, `[token]` replaces it, and its cause is dropped. */
async function redactingTokens<T>(
  secrets: () => readonly Secret[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const { kind, message, suggestion, hint, retryAfterMs } = error;
    const hidden = secrets();
    const redacted = (text: string): string => masked(text, hidden);
    const isClean = [message, suggestion, hint].every((text = '') => redacted(text) === text);
    if (isClean) throw error;
    throw new RegistryError(kind, redacted(message), {
      suggestion: suggestion && redacted(suggestion),
      hint: hint && redacted(hint),
      retryAfterMs,
    });
  }
}

const EXPECTED: ReadonlySet<number> = new Set([200, 304, 404]);
/** Besides success: what is wrong with the release or the yank. */
const EXPECTED_OF_CHANGE: ReadonlySet<number> = new Set([200, 201, 404, 409, 413, 422]);
const ANSWER_BOUNDS = { largest: 256 * 1024, mostTokens: 10_000 };
const BUSY = new Set([408, 425, 429]);

function checkStatus(
  { status, headers, body }: Reply,
  where: string,
  {
    hasToken,
    sent,
    now,
    request,
    isChange,
  }: SignedIn & {
    readonly now: number;
    readonly request: Parameters<typeof eitherHint>[0];
    readonly isChange: boolean;
  },
): void {
  if ((isChange ? EXPECTED_OF_CHANGE : EXPECTED).has(status)) return;
  // Only modreg's registry says by it that nothing was changed, and that repeating the request is useless.
  if (isChange && status === 507 && problemIn(body.text)?.kind === 'storage-full') return;
  const limited = limitReached({ status, headers, body }, where, { hasToken, now });
  if (limited) throw limited;
  if (status === 407) throw proxyDenial(where);
  if (status === 401 || status === 403) {
    throw denial({ status, headers, body }, where, { hasToken, sent });
  }
  if (BUSY.has(status) || status >= 500) {
    const hint = status >= 500 ? eitherHint(request) : undefined;
    throw busyError({ status, headers, body }, where, { now, hint });
  }
  throw new RegistryError(
    'not-a-registry',
    `${where} does not respond like a registry: got ${status}`,
  );
}

function busyError(
  { status, headers, body }: Reply,
  where: string,
  { now, hint }: { readonly now: number; readonly hint: string | undefined },
): RegistryError {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
  const asked = retryAfterWords(headers.get('retry-after'), now);
  const later = asked === undefined ? '' : say`, and asks to retry after ${passing(asked)}`;
  const why = problemIn(body.text)?.detail;
  const because = why === undefined ? '' : `: ${why}`;
  const { text, words } = toldAs(
    say`${where} is busy or failing (${`${status}`})${because}${later}`,
  );
  return new RegistryError('registry-busy', text, { words, retryAfterMs, hint });
}

/** The error for a 404. A server that is not a registry also responds with 404: the hint then says so, or is `note`. */
export function notFound(
  what: string,
  where: string,
  { headers, url }: Reply,
  note?: string,
): RegistryError {
  const type = headers.get('content-type') ?? 'no content-type';
  const hint = /json/i.test(type)
    ? undefined
    : (note ??
      `the response${url ? ` of ${excerpt(`${url.origin}${url.pathname}`)}` : ''} is ${quote(type)}, not JSON: is there a registry at this address?`);
  return new RegistryError('unknown-module', `${where} has no module ${what}`, { hint });
}
