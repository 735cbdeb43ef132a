import type { Outcome, Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { groupedEffects } from '../../site/effect-groups.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { fleetWhatIf, type FleetWhatIf } from '../../site/fleet-what-if.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { effectLines, effectsAsJson, unreadWords } from './what-if-words.ts';

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
  const isEmpty = whatIf.ok && !whatIf.value.isPublished && whatIf.value.effects.length === 0;
  const unknown = await unknownNames(isEmpty ? { moduleId: moduleText } : {}, registry, world);
  return outcomeOf(whatIf, (value) => {
    const grouped = groupedEffects(value.effects, { version: value.version, now: world.clock() });
    return {
      answer: options.json ? [asJson(value)] : effectLines(value, grouped, world),
      notes: value.unread === undefined ? [] : [unreadWords(value.moduleId, value.unread)],
      problems: [
        ...grouped.warnings.map((message): Problem => {
          return { severity: 'warning', kind: 'breaks-requirement', message };
        }),
        ...unknown,
      ],
    };
  });
}

function asJson({ moduleId, version, isPublished, effects }: FleetWhatIf): string {
  return jsonLine({
    schema: 'modreg/fleet-what-if@1',
    module_id: moduleId,
    version,
    is_published: isPublished,
    groups: effectsAsJson(effects),
  });
}
