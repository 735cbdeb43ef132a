import { excerpt } from '../../core/text/quote.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';
import { retireMachine } from '../../site/retire-machine.ts';
import { jsonLine } from '../base/answer-json.ts';
import { operatorIn } from '../base/operator.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

const STILL_COUNTED =
  'note: a rollout whose release may have reached it before it was last heard counts it still';

/** `modreg fleet retire <machine>`: takes a machine out of counts and rollouts until it reports again. */
export async function fleetRetireCommand(
  machine: string,
  options: ChangeOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  const retired = await retireMachine({ machine, by: operatorIn(world) }, options, world);
  return outcomeOf(retired, ({ id, retired: { at, by } }) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-retire@1', id, retired: { at, by } })] };
    }
    const line = `${excerpt(id)} is retired since ${excerpt(at)}, by ${excerpt(by)}: no count has it until it reports again, and no rollout step that begins when it is silent`;
    return { answer: [line], notes: [STILL_COUNTED] };
  });
}
