import type { ListResult } from '../../registry/registry.ts';
import {
  describeDecision,
  describeWarning,
  type Action,
  type ActionTarget,
  type Deployed,
  type Hold,
  type NextChange,
  type Plan,
  type PlanRow,
  type Stop,
  type SubsystemTarget,
} from '../../core/index.ts';
import type { SubsystemPlan } from '../../core/plan/plan.ts';
import { isConfiguredSubsystem, isReportedSubsystem } from '../../core/plan/subsystem-row.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { keyOf } from '../../core/plan/target.ts';
import { RESTARTED_BY_UPDATE } from '../../core/plan/subsystem.ts';
import type { AfterActions } from '../../core/decision/after-actions.ts';
import { replacementOf, wordFor } from '../../core/decision/decision.ts';
import { deployedVersion } from '../../core/decision/deployed.ts';
import { newerRefused } from '../../core/releases/resolve.ts';
import { describeAddress, reportedText } from '../../core/explanation/decision-words.ts';
import { notedReleaseOf } from './release-notes-of.ts';
import { targetText, untilOf, requirementText } from '../../core/explanation/plan-words.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { openAsJson } from '../open-action.ts';
import { listAsJson, refusedAsJson } from '../resolution-document.ts';
import { printedCode } from '../../base/codes.ts';
import { codeOf } from '../../core/explanation/reason.ts';
import type { Planned } from './machine-plan.ts';

/** A plan as JSON, schema `modreg/plan@1`. The action that a row has is there as in the table (D423). */
export function planDocument({
  plan,
  lists,
  downloaded,
  open,
  platform,
  now,
  isAsOf,
}: Pick<
  Planned,
  'plan' | 'lists' | 'downloaded' | 'open' | 'platform' | 'now' | 'isAsOf'
>): object {
  const opened = new Map(open.map((one) => [keyOf(one.action.target), one]));
  const known = { lists, downloaded, opened };
  const actions = plan.restarts.flatMap((restart, place) =>
    restart.actions.map((action) => actionAsJson(action, place)),
  );
  return {
    schema: 'modreg/plan@1',
    platform,
    at: isAsOf ? formatTime(now) : null,
    modules: plan.modules.map((row) => moduleAsJson(row, known)),
    subsystems: plan.subsystems.filter(isInAnswer).map((row) => subsystemAsJson(row, known)),
    actions,
    restarts: plan.restarts.map(({ of, actions: shared, stops }) => ({
      of,
      targets: shared.map(({ target }) => target.name),
      stops: stopsAsJson(stops),
    })),
  };
}

interface KnownOfRows extends Pick<Planned, 'lists' | 'downloaded'> {
  /** By target key. */
  readonly opened: ReadonlyMap<string, OpenAction>;
}

function moduleAsJson(
  row: Plan['modules'][number],
  { lists, downloaded, opened }: KnownOfRows,
): object {
  const key = keyOf({ kind: 'module', name: row.name });
  return {
    name: row.name,
    module_id: row.moduleId,
    ...rowAsJson(row, lists.modules.get(row.name)),
    downloaded: downloaded.get(key) ?? null,
    action: openAsJson(opened.get(key)),
  };
}

function subsystemAsJson(row: SubsystemPlan, { lists, downloaded, opened }: KnownOfRows): object {
  const { target } = row;
  const key = keyOf({ kind: 'subsystem', name: target.name });
  return {
    name: target.name,
    option: target.option,
    release_channel: 'releaseChannel' in target ? target.releaseChannel : null,
    ...rowAsJson(row, lists.subsystems.get(target.name)),
    restarts: restartedBy(target),
    downloaded: downloaded.get(key) ?? null,
    action: openAsJson(opened.get(key)),
  };
}

/** The agent and the server are always planned. Those that nobody configured or reported would only count as stuck. */
function isInAnswer(row: SubsystemPlan): boolean {
  return isReportedSubsystem(row) || isConfiguredSubsystem(row);
}

/** What must be restarted before a new version of a subsystem is used. */
function restartedBy(target: SubsystemTarget): readonly string[] {
  return target.option === 'disable_subsystem' ? [] : RESTARTED_BY_UPDATE[target.name];
}

function rowAsJson(row: PlanRow, reading: ListResult | undefined): object {
  const { decision, latest, stops, nextChange, afterActions, warnings } = row;
  const { input } = decision;
  const replacement = replacementOf(decision);
  return {
    constraint: requirementText(input.requirement),
    deployed: deployedOrNull(input.deployed),
    target: targetText(decision) ?? null,
    decision: wordFor(decision),
    direction: replacement?.direction ?? null,
    code: codeOf(decision) ?? null,
    reason: describeDecision(decision),
    held_by: decision.kind === 'hold' ? decision.because.map(heldAsJson) : [],
    until: timeOrNull(untilOf(decision)),
    latest: latest?.text ?? null,
    newer: newerAsJson(row),
    ...(notedReleaseOf(decision) && { notes: true }),
    stops: stopsAsJson(stops),
    next_change: nextChange ? changeAsJson(nextChange) : null,
    ...(afterActions && { after_actions: afterActionsAsJson(afterActions) }),
    list: reading?.ok ? listAsJson(reading.value) : null,
    warnings: warnings.map((warning) => ({
      code: printedCode(warning.kind),
      message: describeWarning(warning, decision),
    })),
  };
}

/** The most refused releases that are listed. */
const MOST_NEWER = 100;

/** The releases in the branch that are newer than the one to deploy or to keep, each with its refusal (D31). */
function newerAsJson({ decision }: PlanRow): object[] {
  const { input, resolution } = decision;
  const to = replacementOf(decision)?.to;
  const version = to && 'version' in to ? to.version : deployedVersion(input.deployed);
  if (!resolution || !version) return [];
  const newer = newerRefused(resolution, version);
  return refusedAsJson(newer.slice(0, MOST_NEWER), resolution.input.constraint);
}

/** The deployed version: `none` if nothing is deployed, null if it is not known. */
function deployedOrNull(deployed: Deployed): string | null {
  if (deployed.kind === 'none') return 'none';
  return reportedText(deployed) ?? null;
}

/** One reason of a hold. Who holds it and why is there if that is an operator or a module. */
export function heldAsJson(hold: Hold): object {
  return { reason: hold.reason, until: timeOrNull(hold.until), ...holderAsJson(hold) };
}

function holderAsJson(hold: Hold): object | undefined {
  if (hold.reason === 'veto') {
    return { by: hold.by, because: hold.said ?? null, overridable: hold.isOverridable };
  }
  if (hold.reason === 'unknown-field') {
    return { document: hold.of, path: hold.path, suggestion: hold.suggestion ?? null };
  }
  return hold.reason === 'operator-hold'
    ? { of: hold.of, by: hold.by, because: hold.because }
    : undefined;
}

export function changeAsJson({ at, because, becomes }: NextChange): object {
  const target = targetText(becomes) ?? null;
  return { at: formatTime(at), because, decision: wordFor(becomes), target };
}

function afterActionsAsJson({ actions, becomes }: AfterActions): object {
  return { actions, decision: wordFor(becomes), target: targetText(becomes) ?? null };
}

export function stopsAsJson(stops: readonly Stop[]): object[] {
  return stops.map(({ component, moduleId, dependsOn }) => ({
    component,
    module_id: moduleId ?? null,
    depends_on: dependsOn,
  }));
}

export function actionAsJson(action: Action, restart: number): object {
  const { kind, target, from, direction, stops, reason, decidedAt } = action;
  const { platform, url, digest, size } = action.artifact ?? {};
  const isUrl = url === action.to;
  return {
    kind,
    target: targetAsJson(target),
    from: from ?? null,
    to: isUrl ? describeAddress(action.to) : action.to,
    artifact: action.artifact
      ? {
          platform,
          url: (isUrl ? describeAddress(url) : url) ?? null,
          digest: digest ?? null,
          size: size ?? null,
        }
      : null,
    direction,
    stops: stopsAsJson(stops),
    reason: reason.text,
    decided_at: formatTime(decidedAt),
    restart,
  };
}

export function targetAsJson(target: ActionTarget): object {
  const { kind, name } = target;
  return { kind, name, module_id: target.kind === 'module' ? target.moduleId : null };
}

/** A time as JSON. */
export function timeOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : formatTime(ms);
}
