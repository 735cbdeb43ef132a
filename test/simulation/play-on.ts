import type { World } from './world.ts';

/** More timers than any machine needs at one moment. (R3) */
const MOST_AT_ONCE = 20_000;

const nextTick = process.nextTick.bind(process);
const DONE: Promise<void> = Promise.resolve();

/** Plays event after event until `isEnd`, or until none is scheduled. */
export async function playOn({ line, wire, complain }: World, isEnd: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let at = line.elapsed();
  let wakings = 0;
  const turn = (): void => {
    const quiet = wire.quiet();
    if (quiet) {
      quiet.then(() => nextTick(next), reject);
      return;
    }
    if (isEnd() || !line.step()) {
      resolve();
      return;
    }
    nextTick(next);
  };
  // Called after the reactions of every settled promise have run.
  const next = (): void => {
    wakings = line.elapsed() === at ? wakings + 1 : 0;
    at = line.elapsed();
    if (wakings > MOST_AT_ONCE) complain('R3', `more than ${MOST_AT_ONCE} timers fire at ${at} ms`);
    // As a reaction: otherwise the next turn would begin before the reactions to this one.
    DONE.then(turn).catch(reject);
  };
  nextTick(next);
  await promise;
}
