import { parseDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { FailureGroup, FleetFailures } from '../../registry/fleet-documents.ts';
import { blameWords } from '../../site/failing-words.ts';
import { failuresOfFleet } from '../../site/fleet-machines.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export interface FailuresOptions extends FleetOptions, AnswerOptions {
  readonly since?: string;
}

const LONGEST_MS = 90 * 86_400_000;
/** So many machines of a reason are named. */
const NAMED = 3;

/** `modreg fleet failures [module_id] [version]`: what failed lately, and what is tried again now. */
export async function fleetFailuresCommand(
  release: { readonly module: string | undefined; readonly version: string | undefined },
  options: FailuresOptions,
  world: World,
): Promise<Outcome> {
  const { since = '24h' } = options;
  const duration = parseDuration(since);
  if (!duration.ok || duration.value < 1000 || duration.value > LONGEST_MS) {
    return failed(usage(`--since: ${excerpt(since)} is not a duration from 1s to 90d`));
  }
  const sinceMs = duration.value;
  const found = await failuresOfFleet({ ...release, sinceMs }, options, world);
  return outcomeOf(found, (answer) => {
    const json = { schema: 'modreg/fleet-failures@1', ...answer };
    return { answer: options.json ? [jsonLine(json)] : linesOf(answer, since) };
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
  const named = names.slice(0, NAMED).map((name) => excerpt(name));
  const rest = machines - named.length;
  const all = rest > 0 ? [...named, `${rest} more`] : named;
  return [
    `${excerpt(id)} ${excerpt(version)} on ${countOf(machines, 'machine')} ${blameWords(blame)}, ${when}`,
    `  ${excerpt(reason ?? 'no reason')}`,
    `  ${all.join(', ')}`,
  ];
}
