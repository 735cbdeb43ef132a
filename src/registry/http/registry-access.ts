import { secret, type Secret } from '../../core/text/secret.ts';
import { challengesIn, type Challenge } from './challenge.ts';
import type { WebRegistryAddress } from '../address.ts';
import type { ExchangeContext } from './exchange.ts';
import { requestToken, type IssuedToken } from './token-server.ts';

/** What a request carries in its `Authorization` header. */
export interface Authorization {
  readonly scheme: 'Basic' | 'Bearer';
  readonly token: Secret;
  /** What must be in no text, besides the token. */
  readonly secrets: readonly Secret[];
  /** What that is, for a person: `the token that was sent`. */
  readonly what: string;
  /** Present if a user and a password could be sent in its place. */
  readonly isNoPair?: true;
}

const TOKEN = 'the token that was sent';
const PAIR = 'the user and the password that were sent';
const ISSUED = 'the token that its token server gave';

/** How a registry is accessed. */
export interface AccessOptions {
  /** The registry, for a person, escaped. */
  readonly where: string;
  readonly allowHttp: readonly string[];
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A response, as far as it can ask for authorization. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
}

/** Sends requests to registries whose users may have a password instead of a token. */
export interface RegistryAccess {
  /** The response to what `send` sends. `token` is that of the registry: a bearer token, or `user:password`. */
  sending<T extends Answer>(
    request: { readonly url: URL; readonly token: Secret | undefined },
    context: ExchangeContext,
    send: (authorization: Authorization | undefined) => Promise<T>,
  ): Promise<T>;
}

interface Kept extends IssuedToken {
  /** On the monotonic clock. */
  readonly until: number;
  /** What it was issued for: another user may read other repositories. */
  readonly given: string | undefined;
}

/** A token is not used in its last seconds: the registry's clock may be ahead. */
const MARGIN_MS = 5000;

/** How a registry of this kind, or a file of it, is accessed. */
export function accessTo(kind: WebRegistryAddress['kind'], options: AccessOptions): RegistryAccess {
  if (kind === 'oci') return registryAccess(options);
  return kind === 'npm' ? BASIC : BEARER;
}

/** Sends the token as it is. */
export const BEARER: RegistryAccess = {
  sending: async ({ token }, _context, send) =>
    await send(token && { scheme: 'Bearer', token, secrets: [], what: TOKEN }),
};

/** Sends a user and a password unasked, as npm does. */
const BASIC: RegistryAccess = {
  async sending({ token }, _context, send) {
    const basic = pairIn(token)?.basic;
    const secrets = secretsIn(token);
    if (basic) return await send({ scheme: 'Basic', token: basic, secrets, what: PAIR });
    return await send(token && { ...plain(token), secrets });
  },
};

function plain(token: Secret): Omit<Authorization, 'secrets'> {
  return { scheme: 'Bearer', token, what: TOKEN, isNoPair: true };
}

/**
 * Answers once what an OCI registry asks for in a response with the status 401: a token of a token server, or a user and a password. Tokens
 * are kept while they are valid, and an origin that took a user and a password gets them unasked from then on.
 */
function registryAccess(options: AccessOptions): RegistryAccess {
  const tokenOf = keptTokens(options);
  /** What each origin took. */
  const taken = new Map<string, string>();
  return {
    async sending({ url, token: given }, context, send) {
      const pair = pairIn(given);
      const basic = pair && ({ scheme: 'Basic', token: pair.basic, what: PAIR } as const);
      const secrets = secretsIn(given);
      const known = tokenOf.known({ url, given }, context);
      const isTaken = given !== undefined && taken.get(url.origin) === given.reveal();
      const own = pair ? undefined : given && plain(given);
      const begun = known ?? (isTaken ? basic : own);
      const first = await send(begun && { ...begun, secrets });
      // What was refused as a bearer token is no user with a password.
      if (first.status !== 401 || (given && !pair)) return first;
      const challenges = challengesIn(first.headers.get('www-authenticate'));
      const asked = challenges.find(({ scheme }) => scheme === 'bearer');
      if (asked)
        return await send({ ...(await tokenOf.issued(asked, { url, given }, context)), secrets });
      const isBasic = challenges.some(({ scheme }) => scheme === 'basic');
      if (!isBasic || !basic || begun === basic) return first;
      const second = await send({ ...basic, secrets });
      if (second.status !== 401) taken.set(url.origin, given?.reveal() ?? '');
      return second;
    },
  };
}

type Asking = Pick<Parameters<RegistryAccess['sending']>[0], 'url'> & {
  readonly given: Secret | undefined;
};

interface KeptTokens {
  /** The token for a repository, if it is still valid. */
  readonly known: (asking: Asking, context: ExchangeContext) => Unkept | undefined;
  /** A new token, as a challenge asks for. Throws a RegistryError if there is none. */
  readonly issued: (asked: Challenge, asking: Asking, context: ExchangeContext) => Promise<Unkept>;
}

type Unkept = Omit<Authorization, 'secrets'>;

function bearer(token: Secret): Unkept {
  return { scheme: 'Bearer', token, what: ISSUED };
}

function keptTokens(options: AccessOptions): KeptTokens {
  const kept = new Map<string, Kept>();
  return {
    known({ url, given }, { clock }) {
      const known = kept.get(repositoryIn(url));
      const isUsable = known?.given === given?.reveal() && known !== undefined;
      return isUsable && known.until > clock.monotonic() ? bearer(known.token) : undefined;
    },
    async issued(asked, { url, given }, context) {
      const repository = repositoryIn(url);
      const { where, allowHttp, fetch } = options;
      const request = { where, allowHttp, fetch, ...askedBy(asked, repository), registry: url };
      const issued = await requestToken({ ...request, basic: pairIn(given)?.basic }, context);
      const until = context.clock.monotonic() + issued.validMs - MARGIN_MS;
      kept.set(repository, { ...issued, until, given: given?.reveal() });
      return bearer(issued.token);
    },
  };
}

/** What must be in no text because of `token`. */
export function secretsIn(token: Secret | undefined): readonly Secret[] {
  const pair = pairIn(token);
  return [pair ? [pair.basic, pair.password] : [], token ?? []].flat();
}

/** The user and the password in a token of the form `user:password`; undefined for any other token. */
function pairIn(
  token: Secret | undefined,
): { readonly basic: Secret; readonly password: Secret } | undefined {
  const text = token?.reveal() ?? '';
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  const basic = Buffer.from(text).toString('base64');
  return { basic: secret(basic), password: secret(text.slice(colon + 1)) };
}

/** The name of the repository in an address of the API. (OCI Distribution 1.1, "Endpoints") */
function repositoryIn({ pathname }: URL): string {
  return /\/v2\/(.+)\/(?:tags|manifests|blobs)\/[^/]+$/.exec(pathname)?.[1] ?? '';
}

/** Only pulling from this repository is asked for, whatever the registry names. Behind a proxy, its own name is shorter. */
function askedBy(
  { parameters }: Challenge,
  repository: string,
): { readonly realm: string; readonly service: string | undefined; readonly scope: string } {
  const [, own = ''] = /(?:^| )repository:([^: ]+):/.exec(parameters.get('scope') ?? '') ?? [];
  const name = own !== '' && `/${repository}`.endsWith(`/${own}`) ? own : repository;
  return {
    realm: parameters.get('realm') ?? '',
    service: parameters.get('service')?.slice(0, 256),
    scope: `repository:${name}:pull`,
  };
}
