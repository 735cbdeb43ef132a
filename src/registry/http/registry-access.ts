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
}

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
    await send(token && { scheme: 'Bearer', token, secrets: [] }),
};

/** Sends a user and a password unasked, as npm does. */
const BASIC: RegistryAccess = {
  async sending({ token }, _context, send) {
    const basic = pairIn(token)?.basic;
    const secrets = secretsIn(token);
    if (basic) return await send({ scheme: 'Basic', token: basic, secrets });
    return await send(token && { scheme: 'Bearer', token, secrets });
  },
};

/**
 * Answers once what an OCI registry asks for in a response with the status 401: a token of a token server, or a user and a password. Tokens
 * are kept while they are valid.
 */
function registryAccess(options: AccessOptions): RegistryAccess {
  const kept = new Map<string, Kept>();
  return {
    async sending({ url, token: given }, context, send) {
      const repository = repositoryIn(url);
      const known = kept.get(repository);
      const isUsable = known?.given === given?.reveal();
      const isFresh = known !== undefined && known.until > context.clock.monotonic();
      const pair = pairIn(given);
      const bearer = isUsable && isFresh ? known.token : pair ? undefined : given;
      const secrets = secretsIn(given);
      const first = await send(bearer && { scheme: 'Bearer', token: bearer, secrets });
      // What was refused as a bearer token is no user with a password.
      if (first.status !== 401 || (given && !pair)) return first;
      const challenges = challengesIn(first.headers.get('www-authenticate'));
      const asked = challenges.find(({ scheme }) => scheme === 'bearer');
      if (asked) {
        const request = { ...options, ...askedBy(asked, repository), registry: url };
        const issued = await requestToken(
          { ...request, fetch: options.fetch, basic: pair?.basic },
          context,
        );
        const until = context.clock.monotonic() + issued.validMs - MARGIN_MS;
        kept.set(repository, { ...issued, until, given: given?.reveal() });
        return await send({ scheme: 'Bearer', token: issued.token, secrets });
      }
      const isBasic = challenges.some(({ scheme }) => scheme === 'basic');
      return isBasic && pair ? await send({ scheme: 'Basic', token: pair.basic, secrets }) : first;
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
