import { parseDuration } from '../../core/text/duration.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Catalogue } from '../../server/index.ts';
import { isOfMachines } from '../../server/tokens/scope.ts';
import { lapseOf } from '../../server/tokens/token.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  modeOf,
  withCatalogue,
  type CatalogueOptions,
  type CreatingOptions,
} from '../../site/catalogue-options.ts';

export interface TokenOptions extends CreatingOptions {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
}

/** What `Catalogue.tokens` says of one token. */
type TokenSummary = ReturnType<Catalogue['tokens']>[number];

/** `modreg registry token create`: creates a token and prints it, which cannot be repeated. */
export function tokenCreateCommand(options: TokenOptions, world: World): Outcome {
  const { name, scope: scopes = [], expires } = options;
  if (name === undefined)
    return failed(usage('--name is missing: the token needs a name, such as ci'));
  const term = expires === undefined ? undefined : parseDuration(expires);
  if (term?.ok === false) return failed(usage(`--expires: ${term.error}`));
  const now = world.clock();
  const expiresAt = term && now + term.value;
  return withCatalogue(options, world, modeOf(options), (catalogue) => {
    const created = catalogue.createToken({ name, scopes, expiresAt }, now);
    if (!created.ok) return failed(usage(created.error));
    const { id, token } = created.value;
    const ifLost = `nobody has seen the token ${id}: modreg registry token revoke ${id}, with the same file, and create another one`;
    if (options.json) {
      const found = catalogue.tokens().filter((one) => one.id === id);
      const [fields = {}] = found.map((one) => tokenAsJson(one, now));
      const line = jsonLine({ schema: 'modreg/registry-token@1', ...fields, token });
      return { ...answered(line), ifLost };
    }
    const until =
      expiresAt === undefined ? 'until it is revoked' : `until ${formatTime(expiresAt)}`;
    const notes = [
      `note: ${id} (${name}) is valid ${until}`,
      'note: this is the only time that the token is shown',
    ];
    return { answer: [token], notes, problems: [], ifLost };
  });
}

/** `modreg registry token list`: shows what each token may do and when it was last used, but not its text. */
export function tokenListCommand(options: CatalogueOptions, world: World): Outcome {
  return withCatalogue(options, world, { mode: 'read' }, (catalogue) => {
    const tokens = catalogue.tokens();
    const now = world.clock();
    if (options.json) {
      const list = tokens.map((token) => tokenAsJson(token, now));
      return answered(jsonLine({ schema: 'modreg/registry-tokens@1', tokens: list }));
    }
    return answered(
      ...(tokens.length === 0 ? ['no tokens'] : tokenTable(tokens, now, world.columns)),
    );
  });
}

/** `modreg registry token revoke <token>`, which is an id, a name or a token: the registry refuses it from now on. */
export function tokenRevokeCommand(
  named: string,
  options: CatalogueOptions,
  world: World,
): Outcome {
  return withCatalogue(options, world, { mode: 'write' }, (catalogue) => {
    const now = world.clock();
    const result = catalogue.revokeToken(named, now);
    const idOrName = catalogue.tokenWith(named)?.id ?? named;
    const token = catalogue.tokens().findLast(({ id, name }) => [id, name].includes(idOrName));
    if (result === 'unknown-token' || !token) {
      const hint = 'modreg registry token list shows the tokens';
      // It may be a token of another registry, so that it is not repeated.
      const message = named.startsWith('modreg_')
        ? 'this registry did not create the token'
        : `this registry has no token with the id or name ${quote(named)}`;
      return failed({ severity: 'error', kind: 'unknown-token', message, hint });
    }
    const { id, name } = token;
    const already = result === 'unchanged' ? 'already ' : '';
    const line = `${id} (${excerpt(name)}) is ${already}revoked`;
    const json = { schema: 'modreg/registry-token-revoke@1', ...tokenAsJson(token, now) };
    return answered(options.json ? jsonLine(json) : line);
  });
}

const HEADS = ['ID', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE'];

function tokenTable(
  tokens: readonly TokenSummary[],
  now: number,
  width: number | undefined,
): string[] {
  const cells = tokens.map((token) => [
    token.id,
    excerpt(token.name),
    token.scopes.join(' '),
    formatTime(token.createdAt),
    timeText(token.expiresAt) ?? 'never',
    timeText(token.lastUsedAt) ?? (isOfMachines(token.scopes) ? 'not recorded' : 'never'),
    stateOf(token, now),
  ]);
  const linesOf = columnsOf(HEADS, cells, width);
  return [...linesOf(HEADS), ...cells.flatMap(linesOf)];
}

function tokenAsJson(token: TokenSummary, now: number): object {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    created_at: formatTime(token.createdAt),
    expires_at: timeText(token.expiresAt) ?? null,
    last_used_at: timeText(token.lastUsedAt) ?? null,
    revoked_at: timeText(token.revokedAt) ?? null,
    state: stateOf(token, now),
  };
}

function stateOf(token: TokenSummary, now: number): 'active' | 'expired' | 'revoked' {
  return lapseOf(token, now)?.kind ?? 'active';
}

function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatTime(ms);
}

function answered(...answer: readonly string[]): Outcome {
  return { answer, notes: [], problems: [] };
}
