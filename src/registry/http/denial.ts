import { RegistryError } from '../registry-error.ts';
import { challengesIn } from './challenge.ts';
import type { Reply } from './exchange.ts';
import type { Authorization } from './registry-access.ts';
import { problemIn } from './problem-document.ts';

/** With what a request was sent. */
export interface SignedIn {
  /** Whether there is a token for the registry. It may not have asked for it. */
  readonly hasToken: boolean;
  /** What the last request had; undefined if nothing was sent. */
  readonly sent: Pick<Authorization, 'what' | 'isNoPair'> | undefined;
}

/** The error for a registry that denies access, with 401 or 403. */
export function denial(
  { status, headers, body }: Pick<Reply, 'status' | 'headers' | 'body'>,
  where: string,
  signedIn: SignedIn,
): RegistryError {
  const scope = status === 403 ? missingScopeIn(headers) : undefined;
  const lacks = scope === undefined ? undefined : `it lacks the scope ${scope}`;
  const why = problemIn(body.text)?.detail ?? lacks;
  const because = why === undefined ? '' : `: ${why}`;
  const message = `${where} denies access ${sentWords(signedIn)} (${status})${because}`;
  const hint =
    scope === undefined
      ? formHint({ status, headers }, signedIn)
      : `its operator creates a token with it: modreg registry token create --name <name> --scope ${scope}`;
  return new RegistryError('registry-refused', message, { hint });
}

function sentWords({ hasToken, sent }: SignedIn): string {
  if (sent) return `with ${sent.what}`;
  return hasToken
    ? 'without the user and the password, which it did not ask for'
    : 'without a token';
}

/** What a registry that refuses a token asks for instead; undefined if it does not say. */
function formHint(
  { status, headers }: Pick<Reply, 'status' | 'headers'>,
  { sent }: SignedIn,
): string | undefined {
  if (status !== 401 || !sent?.isNoPair) return undefined;
  const challenges = challengesIn(headers.get('www-authenticate'));
  const advice = 'takes a user and a password: write <user>:<password> in place of the token';
  const isOfServer = challenges.some(
    ({ scheme, parameters }) =>
      scheme === 'bearer' && /^https?:\/\//.test(parameters.get('realm') ?? ''),
  );
  if (isOfServer) return `its token server ${advice}`;
  return challenges.some(({ scheme }) => scheme === 'basic') ? `it ${advice}` : undefined;
}

/** The scope that a token lacks, by the challenge of RFC 6750: the body of a refused read is received only for a person. */
function missingScopeIn(headers: Headers): string | undefined {
  const challenge = headers.get('www-authenticate') ?? '';
  if (!challenge.includes('error="insufficient_scope"')) return undefined;
  return /scope="([a-z]{1,20}(?::[\w.-]{1,128})?)"/.exec(challenge)?.[1];
}
