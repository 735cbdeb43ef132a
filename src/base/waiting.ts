import type { World } from './world.ts';

const FIRST_NOTE_MS = 1000;
const NEXT_NOTE_MS = 10_000;

/** The reason for a wait, which may change during it. */
export interface Wait {
  /** What is being waited for, in one escaped line. */
  state: string;
}

/** Returns the result of `work`. Notes what it waits for after one second, and then every ten seconds. */
export async function waiting<T>(wait: Wait, world: World, work: () => Promise<T>): Promise<T> {
  const note = (): void => world.note(`waiting: ${wait.state}`);
  let next: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    note();
    next = setInterval(note, NEXT_NOTE_MS);
  }, FIRST_NOTE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(next);
  }
}
