import {
  indexReleases,
  type ActionTarget,
  type DecideInput,
  type ModuleList,
  type ReleaseIndex,
  type Result,
  type Window,
} from '../core/index.ts';
import { compileWindows } from '../config/window.ts';
import { holdsInForce, type ClockReading } from '../core/decision/operator-hold.ts';
import { requirementsNow } from './requirements-now.ts';
import { factsOf } from '../core/plan/plan-input.ts';
import { withUrlAsText } from '../core/decision/deployed.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { SavedList, SavedLists } from '../registry/saved-lists.ts';
import { changedDigests } from '../registry/known-digests.ts';
import { areWindowRules, decodeFacts, haveSameFacts } from '../store/facts.ts';
import type { MachineState } from '../store/machine-state.ts';

/** An empty list, for questions that need none. */
export const NO_RELEASES: ReleaseIndex = indexReleases([]);

/**
 * The input of a recorded decision, from its facts and its list. The error names in a few words what is damaged, or what
 * the facts do not contain.
 */
export function restoredInput(facts: unknown, index: ReleaseIndex): Result<DecideInput, string> {
  let error: string | undefined;
  const windowOf = (rules: unknown): Window => {
    const window = rules === undefined ? undefined : windowIn(rules);
    error ??= rules === undefined ? FOREIGN_WINDOW : 'the maintenance windows, which are damaged';
    if (!window) return NEVER_OPEN;
    error = undefined;
    return window;
  };
  const decoded = decodeFacts(facts, { index, windowOf });
  if ('damaged' in decoded) {
    return { ok: false, error: `the field ${decoded.damaged}, which is missing or damaged` };
  }
  return error === undefined ? { ok: true, value: decoded.input } : { ok: false, error };
}

const FOREIGN_WINDOW =
  'the maintenance windows, which the agent computes: no policy document contains them';

const NEVER_OPEN: Window = {
  openSince: () => undefined,
  nextOpening: () => undefined,
  closing: () => undefined,
};

/** The window with these rules; undefined if they are damaged. */
function windowIn(rules: unknown): Window | undefined {
  if (!areWindowRules(rules)) return undefined;
  try {
    // A bad pattern or time zone throws when it is first used.
    const window = compileWindows(rules);
    window?.nextOpening(0);
    return window;
  } catch {
    return undefined;
  }
}

/**
 * The input of the decision that the poller would now make about a target: the terms and the circumstances of its last
 * decision, with what the file says now about the target and its list. If the list is not saved, because it is from a
 * folder or a `.db` file, `list` is an error of the kind `not-saved`. The error says why there is no such input.
 */
export function currentInput(
  target: ActionTarget,
  file: MachineState,
  saved: SavedLists,
  reading: ClockReading,
): Result<DecideInput, string> {
  const memory = file.memory();
  const last = file.history(target).at(-1)?.last;
  if (!last) return { ok: false, error: 'no decision about it is recorded' };
  const restored = restoredInput(last.facts, NO_RELEASES);
  if (!restored.ok) return { ok: false, error: `the recorded decision lacks ${restored.error}` };
  const input = restored.value;
  const address = last.list?.address;
  const savedList = address === undefined ? undefined : saved.read(address, moduleOf(target));
  const machine = requirementsNow(file.decisions(), memory, input.eligibility.machine);
  const state = { list: listNow(input.list, savedList), ...factsOf(memory.of(target)) };
  const {
    restarts = [],
    holds,
    held,
    ...known
  } = target.kind === 'module' ? withUrlAsText(state) : state;
  return {
    ok: true,
    value: {
      ...input,
      ...known,
      previous: known.previous,
      quarantine: withRetries(known.quarantine ?? [], input.quarantine),
      eligibility: { ...input.eligibility, now: reading.now, machine },
      timing: {
        ...input.timing,
        restarts,
        longestHoldEnd: held && input.timing.longestHoldEnd,
        operatorHolds: holds && holdsInForce(holds, reading),
      },
    },
  };
}

/** What the entry is now was recorded: a release that has not failed since is tried again as it was to be then (D82). */
function withRetries(now: Quarantine, recorded: Quarantine): Quarantine {
  return now.map((one) => {
    const { retry, ...before } = recorded.find(({ version }) => version === one.version) ?? {};
    return retry !== undefined && haveSameFacts(before, one) ? { ...one, retry } : one;
  });
}

type Quarantine = DecideInput['quarantine'];

/** The list that replaces the recorded one: a saved list, unless there was none. */
function listNow(recorded: ModuleList, saved: SavedList | undefined): ModuleList {
  if (!saved) return 'error' in recorded ? recorded : NOT_SAVED;
  const { records, lost, firstSeen, confirmedAt } = saved;
  const stale = 'stale' in recorded ? recorded.stale : undefined;
  return {
    ...recorded,
    index: indexReleases(records),
    changedDigests: changedDigests(records, lost),
    firstSeen,
    readAt: confirmedAt,
    stale: stale && { ...stale, confirmedAt },
  };
}

const NOT_SAVED: ModuleList = {
  error: { kind: 'not-saved', message: 'its release list is not saved in machine.db' },
};
