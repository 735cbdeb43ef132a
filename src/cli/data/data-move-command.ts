import { excerpt } from '../../core/text/quote.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { moveData } from '../../host/requests/data-move.ts';
import { jsonLine } from '../base/answer-json.ts';

/** `modreg data move <folder> <module>`: gives a module the data that it kept before. */
export function dataMoveCommand(
  named: readonly [folder: string, module: string],
  { json }: { readonly json?: true },
  world: World,
): Outcome {
  const moved = moveData(named, world);
  if (!moved.ok) return failed(...moved.error);
  const { name, from, to } = moved.value;
  const answer = json
    ? jsonLine({ schema: 'modreg/data-move@1', name, from, to })
    : `${excerpt(name)}: ${excerpt(from)} is ${excerpt(to)} now`;
  return { answer: [answer], notes: [], problems: [] };
}
