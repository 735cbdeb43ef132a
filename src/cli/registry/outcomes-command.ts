import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { ModuleOutcomes, OutcomeGroup } from '../../registry/fleet-documents.ts';
import { outcomesOfModule } from '../../site/fleet-machines.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { namedMachines, outcomeWords, whereWords } from '../../site/outcome-words.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { outcomeTerm } from '../fleet/outcome-term.ts';

export interface OutcomesOptions extends FleetOptions, AnswerOptions {
  readonly since?: string;
}

/** `modreg registry outcomes <module_id> [version]`: which machines run a module, and where it failed or was rolled back (D367). */
export async function outcomesCommand(
  release: { readonly module: string; readonly version: string | undefined },
  options: OutcomesOptions,
  world: World,
): Promise<Outcome> {
  const { since = '30d' } = options;
  const sinceMs = outcomeTerm(since);
  if (!sinceMs.ok) return failed(sinceMs.error);
  const found = await outcomesOfModule({ ...release, sinceMs: sinceMs.value }, options, world);
  return outcomeOf(found, (answer) => {
    const json = { schema: 'modreg/registry-outcomes@1', ...answer };
    return { answer: options.json ? [jsonLine(json)] : linesOf(answer, release.version, since) };
  });
}

function linesOf(answer: ModuleOutcomes, version: string | undefined, since: string): string[] {
  const { module_id: id, outcomes, left_out: left } = answer;
  if (outcomes.length === 0) {
    const named = version === undefined ? id : `${id} ${version}`;
    return [`no machine runs ${excerpt(named)}, and none reported a failure of it in ${since}`];
  }
  const more = left === 0 ? [] : [`${countOf(left, 'further outcome')} left out`];
  const lines = outcomes.flatMap((one, place) => {
    const isFirst = one.version !== outcomes[place - 1]?.version;
    const head = isFirst ? [`${excerpt(id)} ${excerpt(one.version)}`] : [];
    return head.concat(linesFor(one));
  });
  return [...lines, ...more];
}

function linesFor(one: OutcomeGroup): string[] {
  const { reason, last_at: at, machines, first_machines: names } = one;
  const last = at === null ? '' : `, last ${excerpt(at)}`;
  const head = `  ${outcomeWords(one)} (${whereWords(one)})${last}: ${namedMachines(names, machines)}`;
  return reason === null ? [head] : [head, `    ${excerpt(reason)}`];
}
