import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { CommandOutcome, KnownCommand } from '../../registry/command-documents.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { LONGEST_NAME } from '../requests/hold-wish.ts';
import {
  endHold,
  heldHere,
  setHold,
  type EndedHold,
  type HoldInForce,
  type SetHold,
} from '../requests/holds.ts';
import { liftVersion } from '../requests/quarantine.ts';
import { liftedLine, restartLines, rollbackLines } from '../requests/request-words.ts';
import { upgradeAfterRound } from '../requests/requested-round.ts';
import { requestRestart } from '../requests/restart.ts';
import { rollBack } from '../requests/rollback.ts';
import { requestUpgrade } from '../requests/upgrade.ts';
import { upgradeLines } from '../requests/upgrade-words.ts';

/** Short enough for an answer. */
const LONGEST_DETAIL = 900;

interface Carrying {
  /** Of the registry that gives the command. */
  readonly origin: string;
  /** Whether the policy of the machine names a trust document. */
  readonly isPinned: boolean;
  readonly world: World;
}

/** Carries out a command of the site at `origin` as the command of the machine with its name does (D298, D328). */
export async function carriedOut(
  command: KnownCommand,
  { origin, isPinned, world }: Carrying,
): Promise<Omit<CommandOutcome, 'number'>> {
  const by = siteName(origin, command.by);
  const done = await wordsOf(command, { by, isPinned, world });
  if (done.ok) return { result: 'done', detail: cut(done.value) };
  return { result: 'refused', detail: cut(done.error.map(problemText).join('; ')) };
}

async function wordsOf(
  { kind, module, for: term, version, reason }: KnownCommand,
  { by, isPinned, world }: Pick<Carrying, 'isPinned' | 'world'> & { readonly by: string },
): Promise<Result<string, Problem[]>> {
  const named = module ?? '';
  const requester = { by, because: reason };
  switch (kind) {
    case 'hold': {
      const wish = { named: module ?? undefined, for: term ?? undefined, until: undefined };
      const refusal = (hold: HoldInForce, wished: HoldInForce): Problem | undefined => {
        if (!isOfSite(hold)) return heldHere(hold);
        return isPinned && endsSooner(wished, hold) ? staysUntil(hold) : undefined;
      };
      return said(setHold({ ...wish, reason, by, refusal }, world), heldWords);
    }
    case 'unhold':
      return said(endHold(module ?? undefined, world, { mayEnd: isOfSite }), endedWords);
    case 'restart':
      return said(
        requestRestart(named, { isImmediate: false, requester }, world),
        firstOf(restartLines),
      );
    case 'rollback':
      return said(rollBack(named, { termMs: undefined, requester }, world), firstOf(rollbackLines));
    case 'unquarantine':
      return said(liftVersion([named, version ?? ''], world), liftedLine);
    case 'upgrade': {
      // Reads the list of the module first.
      const round = await upgradeAfterRound(named, world);
      if (!round.ok) return round;
      return said(requestUpgrade({ named, despite: [], reason, by }, world), firstOf(upgradeLines));
    }
  }
}

function said<T>(
  result: Result<T, Problem[]>,
  words: (value: T) => string,
): Result<string, Problem[]> {
  return result.ok ? { ok: true, value: words(result.value) } : result;
}

function heldWords({ hold: { label, until, endsAt } }: SetHold): string {
  return `${label} is held until ${formatTime(until ?? endsAt ?? 0)}`;
}

function endedWords({ hold, still }: EndedHold): string {
  const others = still ? `, and ${excerpt(still.by)} still holds the whole machine` : '';
  return `${hold.label} is no longer held${others}`;
}

/** What follows says when, which has passed for those who read it later. */
function firstOf<T>(lines: (value: T) => readonly string[]): (value: T) => string {
  return (value) => lines(value)[0] ?? '';
}

/** Who holds or requests something, in place of a person of the machine (D299). */
function siteName(origin: string, by: string): string {
  return excerpt(`site ${origin}, ${by}`, LONGEST_NAME - 1);
}

/** Whether a site made a hold: names of users have no spaces and addresses. */
function isOfSite({ by }: Pick<HoldInForce, 'by'>): boolean {
  return /^site https?:\/\//.test(by);
}

/** Whether a hold ends before the other (D434). An end that is not certain could be a later one. */
function endsSooner(wished: HoldInForce, { until }: HoldInForce): boolean {
  return !(wished.until !== undefined && until !== undefined && wished.until >= until);
}

function staysUntil({ label, until }: HoldInForce): Problem {
  const end = until === undefined ? '' : ` until ${formatTime(until)}`;
  const message = `${label} is held${end}, and operators sign what ends a hold sooner; nothing was changed`;
  return { severity: 'error', kind: 'held', message };
}

function problemText({ message, hint }: Problem): string {
  return hint === undefined ? message : `${message} (${hint})`;
}

function cut(text: string): string {
  return excerpt(text, LONGEST_DETAIL);
}
