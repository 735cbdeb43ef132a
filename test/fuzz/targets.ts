import { COMMANDS } from './command-lines.ts';
import { DOCUMENTS } from './documents.ts';
import { GRAMMAR } from './grammar.ts';
import { LIST_FORMATS } from './lists.ts';
import { REGISTRY_FILE } from './registry-file.ts';
import { PUBLICATIONS } from './publications.ts';
import { REPORTS } from './reports.ts';
import { REQUESTS } from './requests.ts';
import { SIGNATURES } from './signatures.ts';
import { STORE } from './store-file.ts';
import { STREAM_MESSAGES } from './stream-messages.ts';
import type { Target, Trial } from './target.ts';
import { TERMS } from './terms.ts';
import { TRUST } from './trust.ts';
import type { Watchdog } from './watchdog.ts';
import { WIRE } from './wire.ts';

/** Every reader of untrusted input. */
export const TARGETS: readonly Target[] = [
  ...GRAMMAR,
  ...TERMS,
  ...TRUST,
  ...SIGNATURES,
  ...DOCUMENTS,
  ...LIST_FORMATS,
  ...WIRE,
  ...STORE,
  ...REGISTRY_FILE,
  ...REPORTS,
  ...PUBLICATIONS,
  ...STREAM_MESSAGES,
  ...REQUESTS,
  ...COMMANDS,
];

/** The number of inputs of each target; the sum is `count`. */
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

/** Tries inputs. Returns the first failure with the command that repeats it, or undefined. */
export async function fuzz(
  target: Target,
  trial: Trial,
  watchdog: Watchdog,
): Promise<string | undefined> {
  const { name } = target;
  const again = `npm run fuzz -- --target ${name} --seed ${trial.seed} --path`;
  watchdog.watch(`${name} hangs\nrepeat: ${again}`);
  const failure = await target.attempt({ ...trial, onInput: () => watchdog.beat() });
  if (!failure) return undefined;
  const { found, input, path } = failure;
  return `${name}: ${found}\ninput: ${input}\nrepeat: ${again} ${path}`;
}
