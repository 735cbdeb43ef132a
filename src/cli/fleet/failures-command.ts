import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { FailureGroup, FleetFailures } from '../../registry/fleet-documents.ts';
import { blameWords } from '../../site/failing-words.ts';
import { failuresOfFleet } from '../../site/fleet-machines.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { namedMachines } from '../../site/outcome-words.ts';
import { jsonLine } from '../base/answer-json.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { outcomeTerm } from './outcome-term.ts';

export interface FailuresOptions extends FleetOptions, AnswerOptions {
  readonly since?: string;
  readonly namespace?: string;
}

/** `modreg fleet failures [module_id] [version]`: what failed lately, and what is tried again now. */
export async function fleetFailuresCommand(
  release: { readonly module: string | undefined; readonly version: string | undefined },
  options: FailuresOptions,
  world: World,
): Promise<Outcome> {
  const { since = '24h', namespace } = options;
  const sinceMs = outcomeTerm(since);
  if (!sinceMs.ok) return failed(sinceMs.error);
  const wanted = { ...release, namespace, sinceMs: sinceMs.value };
  const found = await failuresOfFleet(wanted, options, world);
  const isEmpty = found.ok && found.value.failures.length === 0;
  const problems = await unknownNames(
    isEmpty ? { moduleId: release.module, namespace } : {},
    options,
    world,
  );
  return outcomeOf(found, (answer) => {
    const json = { schema: 'modreg/fleet-failures@1', ...answer };
    return { answer: options.json ? [jsonLine(json)] : linesOf(answer, since), problems };
  });
}

function linesOf({ failures, left_out: left }: FleetFailures, since: string): string[] {
  if (failures.length === 0) return [`nothing failed in ${since}, and nothing is tried again`];
  const more = left === 0 ? [] : [`${countOf(left, 'further reason')} left out`];
  return [...failures.flatMap(linesFor), ...more];
}

function linesFor(group: FailureGroup): string[] {
  const { module_id: id, version, blame, reason, machines, first_machines: names } = group;
  const { last_at: at } = group;
  const when = at === null ? 'will try again' : `last ${excerpt(at)}`;
  return [
    `${excerpt(id)} ${excerpt(version)} on ${countOf(machines, 'machine')} ${blameWords(blame)}, ${when}`,
    `  ${excerpt(reason ?? 'no reason')}`,
    `  ${namedMachines(names, machines)}`,
  ];
}
