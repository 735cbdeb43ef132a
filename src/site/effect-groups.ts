import { countOf } from '../base/count.ts';
import { requiredText } from '../core/explanation/requirement-words.ts';
import { excerpt } from '../core/text/quote.ts';
import { describeTime, type TimeContext } from '../core/text/time-words.ts';
import type { Broken } from './other-modules.ts';
import type { MachinesWithEffect } from './what-if.ts';

/** The machines to which a release does the same, in words. */
export interface EffectGroup {
  readonly when: string;
  readonly deployed: string;
  readonly constraint: string;
  readonly what: string;
  readonly machines: readonly string[];
}

export interface GroupedEffects {
  readonly machines: number;
  /** How many would get it. */
  readonly included: number;
  /** Of how many that is not known. */
  readonly notComputed: number;
  readonly groups: readonly EffectGroup[];
  /** What other modules require, and will no longer have, in words (D88). */
  readonly warnings: readonly string[];
}

interface Growing extends EffectGroup {
  readonly machines: string[];
  /** `Infinity` if they never get the release, or if it is not known when. */
  readonly at: number;
}

/** The effects of a release, the soonest first. */
export function groupedEffects(
  effects: readonly MachinesWithEffect[],
  { version, now }: { readonly version: string; readonly now: number },
): GroupedEffects {
  const groups = new Map<string, Growing>();
  let all = 0;
  let included = 0;
  let notComputed = 0;
  const broken = new Map<string, number>();
  for (const { state, timeZone, effect, machines } of effects) {
    all += machines.length;
    if (effect.kind === 'not-computed') notComputed += machines.length;
    else if (effect.kind !== 'never') included += machines.length;
    for (const one of 'breaks' in effect ? effect.breaks : []) {
      const words = brokenWords(one, version);
      broken.set(words, (broken.get(words) ?? 0) + machines.length);
    }
    const when = whenOf(effect, { now, timeZone });
    const { deployed, constraint: accepted } = state;
    const words = { when, deployed, constraint: accepted ?? 'none', what: whatOf(effect) };
    const key = Object.values(words).join('\n');
    const at = effect.kind === 'now' ? 0 : effect.kind === 'later' ? effect.at : undefined;
    const group = groups.get(key) ?? { ...words, machines: [], at: at ?? Infinity };
    groups.set(key, group);
    for (const machine of machines) group.machines.push(machine);
  }
  const sorted = [...groups.values()].toSorted((a, b) =>
    a.at === b.at ? b.machines.length - a.machines.length : a.at - b.at,
  );
  const warnings = Array.from(
    broken,
    ([words, count]) => `${words}, on ${countOf(count, 'machine')}`,
  );
  return { machines: all, included, notComputed, groups: sorted, warnings };
}

/** As a plan warns: what is required stays as it is, and so does what requires it. */
function brokenWords({ moduleId, version, of, range }: Broken, to: string): string {
  return `${to} does not meet what ${moduleId} ${version} requires: ${requiredText({ of, range })}; it is kept there all the same`;
}

function whenOf(effect: MachinesWithEffect['effect'], times: TimeContext): string {
  if (effect.kind === 'later-step') return 'in a later step';
  if (effect.kind === 'not-computed') return 'not computed';
  if (effect.kind !== 'later') return effect.kind;
  if (effect.at === undefined) return 'held';
  return describeTime(effect.at, times);
}

function whatOf(effect: MachinesWithEffect['effect']): string {
  if ('because' in effect) return effect.because;
  const { direction, stops, breaks } = effect;
  return [
    direction,
    ...(stops.length > 0 ? [`stops ${stops.map((name) => excerpt(name)).join(', ')}`] : []),
    ...breaks.map((one) => `breaks what ${one.moduleId} ${one.version} requires`),
  ].join(', ');
}
