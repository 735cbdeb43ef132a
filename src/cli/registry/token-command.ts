import { jsonLine } from '../output/answer-json.ts';
import type { Outcome } from '../problem.ts';
import type { World } from '../world.ts';
import { withCatalogue, type CatalogueOptions } from './catalogue-options.ts';

/** `modreg registry token create`: creates a token and prints it, which cannot be repeated. */
export function tokenCommand(options: CatalogueOptions, world: World): Outcome {
  return withCatalogue(options, world, { mode: 'create' }, (catalogue) => {
    const token = catalogue.createToken(world.clock());
    const json = jsonLine({ schema: 'modreg/registry-token@1', token });
    const notes = options.json ? [] : ['note: this is the only time that the token is shown'];
    return { answer: [options.json ? json : token], notes, problems: [] };
  });
}
