import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import { isOfMachines, joinScope, machineScope, parseScope, type Scope } from './scope.ts';
import type { StoredToken } from './token.ts';
import type { TokenRequest } from './token-table.ts';

/** How long an invitation is valid, in milliseconds. */
const INVITATION_MS = 3_600_000;

/** The tokens of a catalogue. */
interface Tokens {
  createToken(
    request: TokenRequest,
    now: number,
  ): Result<{ readonly id: string; readonly token: string }, string>;
  revokeToken(token: string, now: number): 'done' | 'unchanged' | 'unknown-token';
  tokens(): readonly Pick<Widened, 'id' | 'scopes' | 'revokedAt'>[];
}

type Widened = Omit<StoredToken, 'scopes'> & { readonly scopes: readonly string[] };

/** Who is invited. */
export interface Invitation {
  readonly machine: string;
  /** The group that its token names; undefined if it names none. */
  readonly group: string | undefined;
}

/** What a machine gets for its code. */
export interface JoinedMachine extends Invitation {
  /** The id of the token. */
  readonly tokenId: string;
  readonly token: string;
}

/** Makes a code with which a machine joins, once. An earlier code for the machine ends (D194). The error is one escaped line. */
export function invite(
  catalogue: Tokens,
  { machine, group }: Invitation,
  now: number,
): Result<{ readonly code: string; readonly expiresAt: number }, string> {
  const scope = joinScope(machine);
  if (!parseScope(scope).ok) return { ok: false, error: `${quote(machine)} ${NO_MACHINE}` };
  const scopes = [scope, ...(group === undefined ? [] : [`${GROUP}${group}`])];
  const wrong = scopes.map(parseScope).find((one) => !one.ok);
  if (wrong) return wrong;
  revokeEach(catalogue, (earlier) => earlier.includes(scope), now);
  const name = nameOf(scope);
  const expiresAt = now + INVITATION_MS;
  const created = catalogue.createToken({ name, scopes, expiresAt }, now);
  return created.ok ? { ok: true, value: { code: created.value.token, expiresAt } } : created;
}

const NO_MACHINE =
  'is not the name of a machine, expected up to 128 letters, digits, ".", "_" and "-", beginning with a letter or a digit';

/** The token of the machine that a code is for. The code ends, and so do the tokens that the machine had (D194). */
export function acceptInvitation(
  catalogue: Tokens,
  { id, scopes }: Pick<StoredToken, 'id' | 'scopes'>,
  machine: string,
  now: number,
): Result<JoinedMachine, string> {
  // Of two requests with one code, only one ends it.
  if (catalogue.revokeToken(id, now) !== 'done') {
    return { ok: false, error: 'the code was used meanwhile' };
  }
  const own = machineScope(machine);
  revokeEach(catalogue, (earlier) => earlier.includes(own) && isOfMachines(earlier), now);
  const groups = scopes.filter((scope) => scope.startsWith(GROUP));
  const created = catalogue.createToken({ name: nameOf(own), scopes: [own, ...groups] }, now);
  if (!created.ok) return created;
  const { id: tokenId, token } = created.value;
  return { ok: true, value: { machine, group: groups[0]?.slice(GROUP.length), tokenId, token } };
}

const GROUP = 'group:';

/** Revokes the tokens with such scopes: a name may be that of another token. */
function revokeEach(
  catalogue: Tokens,
  isMeant: (scopes: readonly string[]) => boolean,
  now: number,
): void {
  for (const { id, scopes, revokedAt } of catalogue.tokens()) {
    if (revokedAt === undefined && isMeant(scopes)) catalogue.revokeToken(id, now);
  }
}

/** The name of a token, which is for people: long ids of machines are cut. */
function nameOf(scope: Scope): string {
  return scope.replace(':', '-').slice(0, 63);
}
