import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { countOf } from '../../base/count.ts';
import type { World } from '../../base/world.ts';
import type { EffectGroup, GroupedEffects } from '../../site/effect-groups.ts';
import type { Broken } from '../../site/other-modules.ts';
import type { FleetWhatIf } from '../../site/fleet-what-if.ts';
import { columnsOf } from '../base/columns.ts';

/** Why it is not known whether other modules require the module. */
export function unreadWords(moduleId: string, because: string): string {
  return `it is not known whether other modules require ${moduleId}: ${because}`;
}

/** The machines with the same effect, as JSON. */
export function effectsAsJson(effects: FleetWhatIf['effects']): object[] {
  return effects.map(({ state, effect, machines }) => ({
    when: effect.kind,
    at: effect.kind === 'later' && effect.at !== undefined ? formatTime(effect.at) : null,
    direction: 'because' in effect ? null : effect.direction,
    deployed: state.deployed,
    constraint: state.constraint,
    platform: state.platform,
    stops: 'because' in effect ? [] : effect.stops,
    ...('breaks' in effect &&
      effect.breaks.length > 0 && { breaks: effect.breaks.map(brokenAsJson) }),
    because: 'because' in effect ? effect.because : null,
    machines,
  }));
}

function brokenAsJson({ moduleId, version, of, range }: Broken): object {
  return { module_id: moduleId, version, requires: { [of]: range } };
}

/** So many machines of a line are named. */
const MOST_NAMED = 3;
const HEADS = ['WHEN', 'MACHINES', 'DEPLOYED', 'CONSTRAINT', 'WHAT'];

/** How many machines would get the release, and when. */
export function effectLines(
  { moduleId, version, isPublished }: Omit<FleetWhatIf, 'effects' | 'unread'>,
  { machines, included, notComputed, groups }: GroupedEffects,
  world: World,
): string[] {
  const rows = groups.map(rowOf);
  const format = columnsOf(HEADS, rows, world.columns);
  const name = `${moduleId} ${version}${isPublished ? '' : ' (not published)'}`;
  const unknown = notComputed === 0 ? '' : `; not computed for ${notComputed}`;
  const head = `${name}: ${included} of ${countOf(machines, 'machine')} would get it${unknown}`;
  return rows.length === 0 ? [head] : [head, '', ...format(HEADS), ...rows.flatMap(format)];
}

function rowOf({ when, deployed, constraint, what, machines }: EffectGroup): string[] {
  const named = machines.slice(0, MOST_NAMED).map((id) => excerpt(id));
  const rest = machines.length > MOST_NAMED ? ', …' : '';
  const found = `${machines.length}: ${named.join(', ')}${rest}`;
  return [when, found, excerpt(deployed), excerpt(constraint), what];
}
