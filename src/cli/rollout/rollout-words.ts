import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import { describeStage } from '../../core/rollout/stage.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import type { RolloutAnswer } from '../../site/rollout-answer.ts';

/** Those of a registry that does not name the ones that are left. */
const { steps: STEPS } = ROLLOUT_POLICY;

/** A rollout that has just begun, in one line. */
export function startedLine(rollout: RolloutAnswer): string {
  const { module_id: id, version, percent, soak_ms: soak, included, first = [] } = rollout;
  const { groups = [] } = rollout;
  const steps = rollout.steps ?? STEPS.filter((step) => step > percent);
  const left = steps.length + first.length - groups.length;
  const earliest = `100 % in ${describeDuration(left * soak)} at the earliest`;
  const later = first.slice(groups.length);
  const then = later.length === 0 ? '' : `, then ${later.map((one) => excerpt(one)).join(', ')}`;
  const now = `${excerpt(describeStage(rollout))} now (${countOf(included, 'machine')})`;
  return `${excerpt(id)} ${excerpt(version)}: ${now}${then}, ${earliest}`;
}

/** The state of a rollout, what its machines reported, and what can be done. */
export function statusLines(rollout: RolloutAnswer): string[] {
  const { module_id: id, version, machines } = rollout;
  const { healthy, failed, silent, installing, waiting } = machines;
  const installed = healthy + failed + silent + installing;
  const next = nextLine(rollout);
  return [
    `${excerpt(id)} ${excerpt(version)}: ${stateOf(rollout)}`,
    ...(typeof rollout.yanked === 'string' ? [`  ${yankWords(rollout.yanked)}`] : []),
    `  installed ${installed}: healthy ${healthy}, failed ${failed}, silent ${silent}, not known yet ${installing}; waiting ${waiting}`,
    ...failureLines(rollout),
    ...retryLines(rollout),
    ...(next === undefined ? [] : [`  next: ${next}`]),
  ];
}

function stateOf(rollout: RolloutAnswer): string {
  const { status, percent, included, because, yanked, first = [], groups = [] } = rollout;
  const reason = because ? `: ${excerpt(because)}` : '';
  if (status === 'completed') {
    return typeof yanked === 'string' ? 'completed' : 'completed, all machines may install it';
  }
  const stage = excerpt(describeStage(rollout));
  if (status !== 'running') return `${excerpt(status)} at ${stage}${reason}`;
  if (percent === 0 && groups.length > 0) {
    return `${stage}, ${groups.length} of ${first.length} groups, includes ${countOf(included, 'machine')}`;
  }
  const { steps = [] } = rollout;
  const then = steps.length === 0 ? '' : `, then ${steps.join(', ')} %`;
  const state = rollout.next.reason === 'failing' ? 'failing at ' : '';
  return `${state}${percent} %, includes ${countOf(included, 'machine')}${then}`;
}

/** Why the release of a rollout is yanked. */
function yankWords(reason: string): string {
  return `the release is yanked${reason && `: ${excerpt(reason)}`}`;
}

/** Lines for the machines that count as failed, then for others on which the release failed, such as pinned ones. */
function failureLines({ failures }: RolloutAnswer): string[] {
  const [others = [], inStep = []] = [false, true].map((isCounted) =>
    failures.filter(({ counted = true }) => counted === isCounted),
  );
  return [...linesByReason(inStep, ''), ...linesByReason(others, ', not in this step')];
}

/** That machines fail for a reason of theirs, which no count of failures has. */
function retryLines({
  module_id: id,
  version,
  machines: { retrying = 0 },
}: RolloutAnswer): string[] {
  if (retrying === 0) return [];
  const release = `${excerpt(id)} ${excerpt(version)}`;
  return [
    `  ${countOf(retrying, 'machine')} failed for a reason of the machine and will try again: modreg fleet failures ${release}`,
  ];
}

/** A line for each reason, with the machine that reported it last. */
function linesByReason(failures: RolloutAnswer['failures'], where: string): string[] {
  const byReason = [...Map.groupBy(failures, ({ reason }) => reason ?? 'no reason').entries()];
  return byReason.map(([reason, [first, ...others]]) => {
    const similar = others.length === 0 ? '' : ` (${others.length} similar)`;
    return `  ${excerpt(first?.machine ?? '')}${where}: ${quote(excerpt(reason))}${similar}`;
  });
}

function nextLine({ status, next, machines, ...rollout }: RolloutAnswer): string | undefined {
  if (status === 'halted') {
    const seen = machines.failed + machines.silent;
    const first = typeof rollout.yanked === 'string' ? 'modreg registry unyank, then ' : '';
    return `${first}modreg rollout resume --failures ${seen} | retract`;
  }
  if (status !== 'running') return undefined;
  const { reason, left_ms: left = 0, needed, healthy, percent, group } = next;
  // After the last step, the rollout is completed.
  const step = rollout.percent < 100 ? 'a step' : 'completed';
  if (reason === 'soaking') return `${step} in ${describeDuration(left)} at the earliest`;
  if (reason === 'failing') {
    const all = countOf(next.machines ?? 0, 'machine');
    return `nothing by itself: ${next.failed ?? 0} of ${all} of the step failed, and none is healthy; modreg rollout halt | raise --failures ${machines.failed + machines.silent}`;
  }
  if (reason === 'few-healthy') {
    return `${step} when ${needed} machines are healthy, now ${healthy}`;
  }
  const where = percent === undefined ? '' : ` at ${percent} %`;
  if (group !== undefined) return `group ${excerpt(group)}, in some seconds`;
  return `${excerpt(next.step)}${where}, in some seconds`;
}
