import type { Result } from '../core/index.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { quote } from '../core/text/quote.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import type { Catalogue } from '../server/index.ts';
import { invite, type Invitation } from '../server/tokens/invitation.ts';
import {
  fileOption,
  modeOf,
  withCatalogue,
  type CatalogueOptions,
  type CreatingOptions,
} from './catalogue-options.ts';

/** What `Catalogue.tokens` says of one token. */
export type TokenSummary = ReturnType<Catalogue['tokens']>[number];

/** A token that was created now. Its text cannot be read again. */
interface CreatedToken {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: number | undefined;
  readonly summary: TokenSummary | undefined;
}

interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly termMs: number | undefined;
}

/** Creates a token that is valid for `termMs` milliseconds, or until it is revoked. */
export function createToken(
  { termMs, ...request }: NewToken,
  options: CreatingOptions,
  world: World,
): Result<CreatedToken, Problem> {
  return withCatalogue(options, world, modeOf(options), (catalogue) => {
    const now = world.clock();
    const expiresAt = termMs === undefined ? undefined : now + termMs;
    const created = catalogue.createToken({ ...request, expiresAt }, now);
    if (!created.ok) return { ok: false, error: usage(created.error) };
    const { id } = created.value;
    const summary = catalogue.tokens().find((one) => one.id === id);
    return { ok: true, value: { ...created.value, expiresAt, summary } };
  });
}

/** Makes a code with which a machine joins (D194). */
export function inviteMachine(
  invitation: Invitation,
  options: CatalogueOptions,
  world: World,
): Result<{ readonly code: string; readonly expiresAt: number }, Problem> {
  return withCatalogue(options, world, { mode: 'write' }, (catalogue) => {
    const invited = invite(catalogue, invitation, world.clock());
    return invited.ok ? invited : { ok: false, error: usage(invited.error) };
  });
}

export function listTokens(
  options: CatalogueOptions,
  world: World,
): Result<readonly TokenSummary[], Problem> {
  return withCatalogue(options, world, { mode: 'read' }, (catalogue) => {
    return { ok: true, value: catalogue.tokens() };
  });
}

/** Revokes a token, named by its id, its name or its text. */
export function revokeToken(
  named: string,
  options: CatalogueOptions,
  world: World,
): Result<{ readonly token: TokenSummary; readonly isNew: boolean }, Problem> {
  return withCatalogue(options, world, { mode: 'write' }, (catalogue) => {
    const result = catalogue.revokeToken(named, world.clock());
    const idOrName = catalogue.tokenWith(named)?.id ?? named;
    const token = catalogue.tokens().findLast(({ id, name }) => [id, name].includes(idOrName));
    if (result !== 'unknown-token' && token) {
      return { ok: true, value: { token, isNew: result === 'done' } };
    }
    const hint = `modreg registry token list${fileOption(options)} shows the tokens`;
    const names = catalogue.tokens().map(({ name }) => name);
    const suggestion = nearestWord(named, names);
    // It may be a token of another registry, so that it is not repeated.
    const message = named.startsWith('modreg_')
      ? 'this registry did not create the token'
      : `this registry has no token with the id or name ${quote(named)}`;
    return {
      ok: false,
      error: { severity: 'error', kind: 'unknown-token', message, suggestion, hint },
    };
  });
}
