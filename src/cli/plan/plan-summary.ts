import type { PlanRow, Restart, Stop } from '../../core/index.ts';
import { isReportedSubsystem } from '../../core/plan/subsystem-row.ts';
import { isTooYoung } from '../../core/plan/waiting-for-age.ts';
import { firstFew } from '../../core/text/few.ts';
import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import type { Planned } from '../../host/plan/machine-plan.ts';

const NAMED = 8;

/** `front-lidar (of acme:lidar, depends on base)`, and how many more. */
export function describeStops(stops: readonly Stop[]): string {
  const named = stops.map(({ component, moduleId, dependsOn }) => {
    const [first] = dependsOn;
    if (first === undefined) return excerpt(component);
    const of = moduleId === undefined ? '' : `of ${moduleId}, `;
    return `${excerpt(component)} (${of}depends on ${excerpt(first)})`;
  });
  return firstFew(named, NAMED).join(', ');
}

/** How many decisions of each kind a plan has, and which components they stop. */
export function summaryOf({ plan: { modules, subsystems, restarts } }: Planned): string[] {
  const rows: readonly PlanRow[] = [...modules, ...subsystems.filter(isReportedSubsystem)];
  const actions = restarts.flatMap((restart) => restart.actions);
  const due = Map.groupBy(actions, ({ direction }) => direction);
  const count = (kind: string): number =>
    rows.filter(({ decision }) => decision.kind === kind).length;
  const young = rows.filter(isTooYoung).length;
  const waiting = count('hold') + young;
  const counts = [
    ...Array.from(due, ([direction, { length }]) => countOf(length, direction)),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(count('stuck') > young ? [`${count('stuck') - young} stuck`] : []),
    `${count('keep')} unchanged`,
  ];
  const stops = restarts.flatMap((restart) => restart.stops);
  return [
    `${counts.join(', ')}.${stops.length > 0 ? ` Components that would stop: ${describeStops(stops)}.` : ''}`,
    ...restarts.flatMap(sharedRestart),
  ];
}

/** A line if one restart serves several actions. */
function sharedRestart({ of, actions }: Restart): string[] {
  const stopping = actions.filter(({ direction }) => direction !== 'install');
  if (of !== 'modules') {
    const isRunning = stopping.some(({ target }) => target.kind === 'subsystem');
    return isRunning ? [`One restart of ${of} also restarts every module.`] : [];
  }
  const names = stopping.map(({ target }) => excerpt(target.name)).join(', ');
  return stopping.length > 1 ? [`One restart is shared by ${names}.`] : [];
}
