import { COMMANDS } from './command-lines.ts';
import { DOCUMENTS } from './documents.ts';
import { GRAMMAR } from './grammar.ts';
import { LIST_FORMATS } from './lists.ts';
import { REGISTRY_FILE } from './registry-file.ts';
import { REQUESTS } from './requests.ts';
import { STORE } from './store-file.ts';
import type { Target, Trial } from './target.ts';
import { TERMS } from './terms.ts';
import type { Watchdog } from './watchdog.ts';
import { WIRE } from './wire.ts';

/** Everything that reads foreign bytes. */
export const TARGETS: readonly Target[] = [
  ...GRAMMAR,
  ...TERMS,
  ...DOCUMENTS,
  ...LIST_FORMATS,
  ...WIRE,
  ...STORE,
  ...REGISTRY_FILE,
  ...REQUESTS,
  ...COMMANDS,
];

/** How many of `count` inputs each target gets. Together they are `count`. */
export function shares(count: number): ReadonlyMap<Target, number> {
  let perMille = 0;
  return new Map(
    TARGETS.map((target) => {
      const before = Math.round((count * perMille) / 1000);
      perMille += target.perMille;
      return [target, Math.round((count * perMille) / 1000) - before];
    }),
  );
}

/** Tries inputs; how the first that fails does, and what repeats just that one. */
export async function fuzz(
  target: Target,
  trial: Trial,
  watchdog: Watchdog,
): Promise<string | undefined> {
  const { name } = target;
  const again = `npm run fuzz -- --target ${name} --seed ${trial.seed} --path`;
  watchdog.watch(`${name} hangs\nagain: ${again}`);
  const failure = await target.attempt({ ...trial, onInput: () => watchdog.beat() });
  if (!failure) return undefined;
  const { found, input, path } = failure;
  return `${name}: ${found}\ninput: ${input}\nagain: ${again} ${path}`;
}
