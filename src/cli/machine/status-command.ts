import { describeDuration } from '../../core/text/duration.ts';
import { describeAddress, reportedText } from '../../core/explanation/decision-words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { crashLoopEnd } from '../../core/plan/crash-loop.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineMemory } from '../../core/plan/machine-memory.ts';
import { keyOf } from '../../core/plan/target.ts';
import type { PollerLog } from '../../store/decision-log.ts';
import type { MachineState } from '../../store/machine-state.ts';
import { jsonLine } from '../output/answer-json.ts';
import { columnsOf } from '../output/columns.ts';
import { deployedCell } from '../plan/plan-cells.ts';
import { labelFor, targetOf } from './machine-row.ts';
import { withState } from './open-state.ts';
import type { Outcome } from '../problem.ts';
import { quarantineAsJson, quarantineTable } from './quarantine-table.ts';
import type { World } from '../world.ts';

/** The state of a machine, and its poller's last decisions. */
interface Status {
  readonly decisions: readonly LoggedDecision[];
  readonly memory: MachineMemory;
  readonly poller: PollerLog;
  readonly now: number;
}

/** `modreg status`: shows the deployed versions, their targets, and the poller's last decisions. */
export function statusCommand({ json }: { readonly json?: true }, world: World): Outcome {
  return withState(world, 'read', (state: MachineState) => {
    const status = {
      decisions: state.decisions(),
      memory: state.memory(),
      poller: state.poller(),
      now: world.clock(),
    };
    const answer = json ? [asJson(status)] : linesOf(status);
    return { answer, notes: [], problems: [] };
  });
}

const HEADS = ['MODULE', 'CONSTRAINT', 'DEPLOYED', 'TARGET', 'LATEST', 'DECISION', 'WHY'];

function linesOf(status: Status): string[] {
  const { memory, now } = status;
  const cells = status.decisions
    .filter((one) => isReported(one, memory))
    .map((decision) => [
      labelFor(decision),
      decision.constraint ?? '-',
      deployedCell(memory.of(targetOf(decision)).deployed),
      decision.target ?? '-',
      decision.latest ?? '-',
      decision.decision,
      decision.reason,
    ]);
  const line = columnsOf(HEADS, cells);
  const quarantined = quarantineTable(memory.quarantine, now);
  return [
    roundLine(status),
    ...crashLoopLines(status),
    '',
    ...(cells.length === 0 ? ['no module was decided on yet'] : [line(HEADS), ...cells.map(line)]),
    ...(memory.open.length === 0 ? [] : ['', ...memory.open.map((open) => openLine(open, now))]),
    ...(quarantined.length === 0 ? [] : ['', 'In quarantine:', ...quarantined]),
  ];
}

function roundLine({ poller: { pid, round }, now }: Status): string {
  if (!round) return 'no round was made yet';
  const by = pid === undefined ? '' : ` by process ${pid}`;
  const trouble = round.trouble === undefined ? '' : `; ${round.trouble}`;
  return `last round ${describeDuration(now - round.at)} ago${by}${trouble}`;
}

function crashLoopLines({ memory, now }: Status): string[] {
  const until = crashLoopEnd(memory.starts, now);
  if (until === undefined) return [];
  return [
    `crash loop: no action until ${formatTime(until)}, because the agent started five times in ten minutes`,
  ];
}

/** Whether a row is shown. A subsystem whose deployed version is unknown is not: a machine need not report it. */
function isReported(decision: LoggedDecision, memory: MachineMemory): boolean {
  return decision.kind === 'module' || memory.of(targetOf(decision)).deployed.kind !== 'unknown';
}

function deployedText(decision: LoggedDecision, memory: MachineMemory): string | undefined {
  return reportedText(memory.of(targetOf(decision)).deployed);
}

function openLine(
  { action, state, deliveries, failures, notBefore }: OpenAction,
  now: number,
): string {
  const { target, from, to, id } = action;
  const change = `${excerpt(target.name)} ${from ?? 'none'} → ${describeAddress(to)}`;
  const times = deliveries === 1 ? 'once' : `${deliveries} times`;
  if (state === 'delivered') return `${change}: delivered ${times}, not acknowledged yet (${id})`;
  if (failures === 0) return `${change}: waiting for delivery (${id})`;
  const again = describeDuration(notBefore - now);
  return `${change}: failed ${failures === 1 ? 'once' : `${failures} times`} because of this machine, next delivery in ${again} (${id})`;
}

function asJson({ decisions, memory, poller, now }: Status): string {
  const open = new Map(memory.open.map((one) => [keyOf(one.action.target), one]));
  return jsonLine({
    schema: 'modreg/status@1',
    at: formatTime(now),
    poller: {
      pid: poller.pid ?? null,
      last_round: poller.round ? formatTime(poller.round.at) : null,
      trouble: poller.round?.trouble ?? null,
      reports_only_until: untilAsJson(crashLoopEnd(memory.starts, now)),
    },
    targets: decisions.map((decision) => {
      const { kind, name, moduleId, constraint, target, latest, reason, until } = decision;
      const { deployed } = memory.of(targetOf(decision));
      const action = open.get(keyOf(decision));
      return {
        kind,
        name,
        module_id: moduleId,
        constraint: constraint ?? null,
        deployed: deployed.kind === 'none' ? 'none' : (deployedText(decision, memory) ?? null),
        target: target ?? null,
        latest: latest ?? null,
        decision: decision.decision,
        reason,
        until: untilAsJson(until),
        action: action ? openAsJson(action) : null,
      };
    }),
    quarantine: memory.quarantine.map(quarantineAsJson),
  });
}

function untilAsJson(until: number | undefined): string | null {
  return until === undefined ? null : formatTime(until);
}

function openAsJson({ action, state, deliveries, failures, notBefore }: OpenAction): object {
  return {
    id: action.id,
    state,
    from: action.from ?? null,
    to: describeAddress(action.to),
    direction: action.direction,
    deliveries,
    failures,
    not_before: notBefore === 0 ? null : formatTime(notBefore),
  };
}
