import type { World } from '../world.ts';

const FIRST_WORD_MS = 1000;
const NEXT_WORD_MS = 10_000;

/** Something that is waited for. */
export interface Wait {
  /** What it waits for now, in one escaped line. */
  state: string;
}

/** Runs `work`, and says what it waits for when it takes longer than a second, and then every ten. */
export async function waiting<T>(wait: Wait, world: World, work: () => Promise<T>): Promise<T> {
  const say = (): void => world.note(`waiting: ${wait.state}`);
  let next: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    say();
    next = setInterval(say, NEXT_WORD_MS);
  }, FIRST_WORD_MS);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(next);
  }
}
