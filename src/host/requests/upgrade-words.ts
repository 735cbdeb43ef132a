import { describeDecision, type Decision } from '../../core/index.ts';
import { replacementOf, wordFor } from '../../core/decision/decision.ts';
import { passes, type UpgradeRequest } from '../../core/decision/upgrade-request.ts';
import {
  decisionWords,
  describeAddress,
  reportedText,
} from '../../core/explanation/decision-words.ts';
import { changeWords, summarizeDecision, targetText } from '../../core/explanation/plan-words.ts';
import { nextChange } from '../../core/decision/next-change.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { readable, say, type Said } from '../../core/text/time-words.ts';
import { shellWord } from '../../base/shell-word.ts';
import { labelFor } from '../machine-row.ts';
import { describeChange } from '../../core/plan/open-action-words.ts';
import { changeAsJson, heldAsJson, timeOrNull } from '../plan/plan-document.ts';
import { beginsWhen } from './request-words.ts';
import type { AskedUpgrade } from './requested-round.ts';
import { shownWord } from '../../core/plan/waiting-for-age.ts';
import { nowCommand, staleWords, type Upgrade } from './upgrade.ts';
import { nameOf } from './upgrade-wish.ts';

/** What is selected for a target and what holds it, for a person: `modreg upgrade` and the page show the same. */
export function upgradeLines(upgrade: Upgrade): string[] {
  return linesOf(upgrade).map((line) => readable(line, upgrade.times));
}

function linesOf({ row, decision, has, isPolled }: Upgrade): Said[] {
  const label = labelFor(row);
  // What was delivered counts as a restart, which would hold the next one.
  if (has) return [`${label}: the agent has the ${describeChange(has.action)} already`];
  if (!decision) return [`${label}: ${shownWord(row)}`, `  because  ${row.reason}`];
  const next = nextChange(decision);
  const stale = staleWords(decision);
  const when = decision.kind === 'replace' ? `, ${beginsWhen({ isPolled })}` : '';
  return [
    `${label}: ${summarizeDecision(decision)}${when}`,
    say`  because  ${decisionWords(decision)}`,
    ...(stale === undefined ? [] : [`  list     ${stale}`]),
    ...(next ? [say`  next     ${changeWords(next)}`] : []),
  ];
}

/** What a person does next: the command that does not wait, if a request passes all that holds the replacement (D76). */
export function upgradeNotes(upgrade: Upgrade): string[] {
  const { row, isPolled } = upgrade;
  const command = passingCommand(upgrade);
  return [
    ...(isPolled ? [] : [upgrade.request ? WAITS : IDLE]),
    ...(command === undefined ? [] : [`note: ${command} does not wait for that`]),
    ...(upgrade.request
      ? [
          `note: the request ends in an hour at the latest; modreg hold ${excerpt(row.name)} --for 1h --reason … stops it`,
        ]
      : []),
  ];
}

/** An agent takes a request at its next start (D487). */
const WAITS = 'note: no agent runs: the request waits for its next start';
const IDLE = 'note: no agent runs, so nothing begins';

/** Notes about the round that was asked for. */
export function roundNotes({ round }: Pick<AskedUpgrade, 'round'>): string[] {
  return round === 'not-yet'
    ? ['note: the lists are being read; modreg status shows what is decided then']
    : [];
}

/** The command that requests the replacement at once; undefined if nothing holds it, or something that a request does not pass. */
function passingCommand({ row, decision, has }: Upgrade): string | undefined {
  if (has || decision?.kind !== 'hold') return undefined;
  const { vetoes = [] } = decision.input.timing;
  if (!decision.because.every((hold) => passes({ despite: vetoes }, hold))) return undefined;
  const named = vetoes.map((veto) => `--despite ${shellWord(nameOf(veto))}`);
  return [nowCommand(row), ...named].join(' ');
}

/** An upgrade as JSON, schema `modreg/upgrade@1`. */
export function upgradeDocument(upgrade: Upgrade & Partial<AskedUpgrade>): object {
  const { row, decision, request, until, has, round = null } = upgrade;
  const next = decision && nextChange(decision);
  return {
    schema: 'modreg/upgrade@1',
    name: row.name,
    module_id: row.moduleId,
    from: decision ? (reportedText(decision.input.deployed) ?? null) : null,
    to: (decision ? targetText(decision) : row.target) ?? null,
    decision: decision ? wordFor(decision) : row.decision,
    direction: (decision && replacementOf(decision)?.direction) ?? null,
    reason: decision ? describeDecision(decision) : row.reason,
    unreachable: decision ? unreachableAsJson(decision) : null,
    held_by: decision?.kind === 'hold' ? decision.because.map(heldAsJson) : [],
    next_change: next ? changeAsJson(next) : null,
    now: passingCommand(upgrade) ?? null,
    request: request ? { ...upgradeRequestAsJson(request), until: timeOrNull(until) } : null,
    round: round === null ? null : round.replaceAll('-', '_'),
    first: has?.action.id ?? null,
  };
}

/** Why the registry of the target was not read, and when the saved list that is used was confirmed; null if it was read (D445). */
function unreachableAsJson({ input: { list } }: Decision): object | null {
  if ('error' in list) {
    const { kind, message } = list.error;
    return kind.startsWith('registry-') ? { message, confirmed_at: null } : null;
  }
  if (!list.stale) return null;
  return { message: list.stale.message, confirmed_at: formatTime(list.stale.confirmedAt) };
}

/** A request as JSON. */
export function upgradeRequestAsJson(request: UpgradeRequest): object {
  const { requestedAt, by, because, from, to, despite } = request;
  return {
    requested_at: formatTime(requestedAt),
    by,
    reason: because ?? null,
    from: from === undefined ? null : describeAddress(from),
    to: describeAddress(to),
    despite: despite.map((veto) => ({ module: veto.by, said: veto.said ?? null })),
  };
}
