import { isInForce } from '../../core/decision/upgrade-request.ts';
import { reportedText } from '../../core/explanation/decision-words.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { crashLoopEnd } from '../../core/plan/crash-loop.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { Remembered } from '../../core/plan/machine-memory.ts';
import { keyOf } from '../../core/plan/target.ts';
import { failuresAsJson } from '../recent-failures.ts';
import { deployedYank, isReported, targetOf } from '../machine-row.ts';
import { openAsJson } from '../open-action.ts';
import { holdAsJson } from '../requests/hold-words.ts';
import { upgradeRequestAsJson } from '../requests/upgrade-words.ts';
import { quarantineAsJson } from '../requests/request-documents.ts';
import type { Status } from './machine-status.ts';

/** The status as JSON, schema `modreg/status@1`. A machine without state has no targets, and no poller. */
export function statusDocument(status: Status | undefined, now: number): object {
  const { poller, memory } = status ?? {};
  return {
    schema: 'modreg/status@1',
    at: formatTime(now),
    running: status?.isRunning ?? false,
    poller: {
      pid: poller?.pid ?? null,
      last_round: poller?.round ? formatTime(poller.round.at) : null,
      trouble: poller?.round?.trouble ?? null,
      reports_only_until: untilAsJson(crashLoopEnd(memory?.starts ?? [], now)),
    },
    targets: status ? targetsAsJson(status) : [],
    quarantine: memory?.quarantine.map(quarantineAsJson) ?? [],
    holds: status?.holds.map(holdAsJson) ?? [],
  };
}

function targetsAsJson(status: Status): object[] {
  const { decisions, memory } = status;
  const open = new Map(memory.open.map((one) => [keyOf(one.action.target), one]));
  return decisions
    .filter((one) => isReported(one, memory))
    .map((one) => targetAsJson(one, status, open));
}

function targetAsJson(
  decision: LoggedDecision,
  { memory, failures, heldSince, downloaded, now }: Status,
  open: ReadonlyMap<string, OpenAction>,
): object {
  return {
    kind: decision.kind,
    name: decision.name,
    module_id: decision.moduleId,
    constraint: decision.constraint ?? null,
    deployed: deployedAsJson(memory.of(targetOf(decision))),
    target: decision.target ?? null,
    latest: decision.latest ?? null,
    decision: decision.decision,
    reason: decision.reason,
    until: untilAsJson(decision.until),
    held_since: untilAsJson(heldSince.get(keyOf(decision))),
    downloaded: downloaded.get(keyOf(decision)) ?? null,
    action: openAsJson(open.get(keyOf(decision))),
    restart_request: requestAsJson(memory.of(targetOf(decision))),
    upgrade_request: upgradeAsJson(memory.of(targetOf(decision)), now),
    deployed_yanked: deployedYank(decision, memory)?.because ?? null,
    failures: failuresAsJson(failures.get(decision.name)),
  };
}

function deployedAsJson({ deployed }: Remembered): string | null {
  return deployed.kind === 'none' ? 'none' : (reportedText(deployed) ?? null);
}

function requestAsJson({ restartRequest }: Remembered): object | null {
  if (!restartRequest) return null;
  const { request, failure } = restartRequest;
  const { requestedAt, isImmediate, requester } = request;
  return {
    requested_at: formatTime(requestedAt),
    immediate: isImmediate,
    by: requester?.by ?? null,
    reason: requester?.because ?? null,
    failure: failure ?? null,
  };
}

function upgradeAsJson({ upgradeRequest }: Remembered, now: number): object | null {
  const isOpen = upgradeRequest !== undefined && isInForce(upgradeRequest, now);
  return isOpen ? upgradeRequestAsJson(upgradeRequest) : null;
}

function untilAsJson(until: number | undefined): string | null {
  return until === undefined ? null : formatTime(until);
}
