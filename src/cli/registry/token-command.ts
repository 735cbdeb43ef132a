import { writeFileSync } from 'node:fs';
import { parseDuration } from '../../core/text/duration.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { createFile } from '../../files/replace-file.ts';
import { CREDENTIALS_FILE } from '../../host/credentials.ts';
import { existsAt } from '../../host/document-file.ts';
import { isOfMachines, machineScope } from '../../server/tokens/scope.ts';
import { lapseOf } from '../../server/tokens/token.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { CatalogueOptions, CreatingOptions } from '../../site/catalogue-options.ts';
import { createToken, listTokens, revokeToken, type TokenSummary } from '../../site/tokens.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export interface TokenOptions extends CreatingOptions, AnswerOptions {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
  readonly machine?: string;
  /** A file for the credentials of the machine. */
  readonly out?: string;
}

/** `modreg registry token create`: creates a token and prints it, which cannot be repeated. */
export function tokenCreateCommand(options: TokenOptions, world: World): Outcome {
  const { machine, name = machine, scope = [], expires, out } = options;
  if (name === undefined)
    return failed(usage('--name is missing: the token needs a name, such as ci'));
  if (out !== undefined && machine === undefined)
    return failed(usage('--out is for the credentials of a machine: pass --machine'));
  if (out !== undefined && existsAt(out))
    return failed(usage(`${quote(out)} exists, and no token was created`, 'choose another file'));
  const scopes = machine === undefined ? scope : [machineScope(machine), ...scope];
  if (scope.some((one) => one.startsWith('join:')))
    return failed(usage('a code to join is no token', 'modreg registry invite makes one'));
  const term = expires === undefined ? undefined : parseDuration(expires);
  if (term?.ok === false) return failed(usage(`--expires: ${term.error}`));
  const created = createToken({ name, scopes, termMs: term?.value }, options, world);
  return outcomeOf(created, ({ id, token, expiresAt, summary }) => {
    const ifLost = `the token ${id} was not shown: modreg registry token revoke ${id}, with the same file, and create another one`;
    if (out !== undefined && machine !== undefined) {
      return writtenTo(out, { machine, id, token }, ifLost);
    }
    if (options.json) {
      const fields = summary && tokenAsJson(summary, world.clock());
      return {
        answer: [jsonLine({ schema: 'modreg/registry-token@1', ...fields, token })],
        ifLost,
      };
    }
    const until =
      expiresAt === undefined ? 'until it is revoked' : `until ${formatTime(expiresAt)}`;
    const notes = [
      `note: ${id} (${name}) is valid ${until}`,
      'note: this is the only time that the token is shown',
    ];
    return { answer: [token], notes, ifLost };
  });
}

/** The credentials of a machine in a file, for a person to copy there (D195). */
function writtenTo(
  path: string,
  { machine, id, token }: { readonly machine: string; readonly id: string; readonly token: string },
  ifLost: string,
): Partial<Outcome> {
  const fields = { api_key_id: id, api_key: token, part_id: machine };
  try {
    createFile(path, { mode: 0o600 }, (descriptor) =>
      writeFileSync(descriptor, `${JSON.stringify(fields, undefined, 2)}\n`),
    );
  } catch (error) {
    const message = `${quote(path)} cannot be written: ${excerpt((error as Error).message)}`;
    return { problems: [{ severity: 'error', kind: 'state-write', message, hint: ifLost }] };
  }
  return {
    answer: [excerpt(path)],
    notes: [`note: copy it to ${CREDENTIALS_FILE} of ${excerpt(machine)}, with mode 0600`],
  };
}

/** `modreg registry token list`: shows what each token may do and when it was last used, but not its text. */
export function tokenListCommand(options: CatalogueOptions & AnswerOptions, world: World): Outcome {
  return outcomeOf(listTokens(options, world), (tokens) => {
    const now = world.clock();
    if (options.json) {
      const list = tokens.map((token) => tokenAsJson(token, now));
      return { answer: [jsonLine({ schema: 'modreg/registry-tokens@1', tokens: list })] };
    }
    return { answer: tokens.length === 0 ? ['no tokens'] : tokenTable(tokens, now, world.columns) };
  });
}

/** `modreg registry token revoke <token>`, which is an id, a name or a token: the registry refuses it from now on. */
export function tokenRevokeCommand(
  named: string,
  options: CatalogueOptions & AnswerOptions,
  world: World,
): Outcome {
  return outcomeOf(revokeToken(named, options, world), ({ token, isNew }) => {
    const line = `${token.id} (${excerpt(token.name)}) is ${isNew ? '' : 'already '}revoked`;
    const fields = tokenAsJson(token, world.clock());
    const json = { schema: 'modreg/registry-token-revoke@1', ...fields };
    return { answer: [options.json ? jsonLine(json) : line] };
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
