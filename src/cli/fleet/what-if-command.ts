import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { countOf } from '../../base/count.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { groupedEffects, type EffectGroup, type GroupedEffects } from '../../site/effect-groups.ts';
import type { Broken } from '../../site/other-modules.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { fleetWhatIf, type FleetWhatIf } from '../../site/fleet-what-if.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export interface WhatIfOptions extends FleetOptions, AnswerOptions {
  /** A file with the release as it will be published. */
  readonly release?: string;
}

/** `modreg fleet what-if <module_id> <version>`: shows which machines would get a release, when, and what stops. */
export async function whatIfCommand(
  moduleText: string,
  versionText: string,
  options: WhatIfOptions,
  world: World,
): Promise<Outcome> {
  const { release, ...registry } = options;
  const whatIf = await fleetWhatIf([moduleText, versionText], release, registry, world);
  return outcomeOf(whatIf, (value) => {
    const grouped = groupedEffects(value.effects, { version: value.version, now: world.clock() });
    return {
      answer: options.json ? [asJson(value)] : linesOf(value, grouped, world),
      notes: value.unread === undefined ? [] : [unreadWords(value, value.unread)],
      problems: grouped.warnings.map((message) => {
        return { severity: 'warning', kind: 'breaks-requirement', message };
      }),
    };
  });
}

function unreadWords({ moduleId }: FleetWhatIf, because: string): string {
  return `it is not known whether other modules require ${moduleId}: ${because}`;
}

function asJson({ moduleId, version, isPublished, effects }: FleetWhatIf): string {
  return jsonLine({
    schema: 'modreg/fleet-what-if@1',
    module_id: moduleId,
    version,
    is_published: isPublished,
    groups: effects.map(({ state, effect, machines }) => ({
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
    })),
  });
}

function brokenAsJson({ moduleId, version, of, range }: Broken): object {
  return { module_id: moduleId, version, requires: { [of]: range } };
}

/** So many machines of a line are named. */
const MOST_NAMED = 3;
const HEADS = ['WHEN', 'MACHINES', 'DEPLOYED', 'CONSTRAINT', 'WHAT'];

function linesOf(
  { moduleId, version, isPublished }: FleetWhatIf,
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
