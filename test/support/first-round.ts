import { onTestFinished, vi } from 'vitest';

/** Until the end of the test, the first round of an agent of this process is at once, and not at a random time in its interval. */
export function firstRoundAtOnce(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
}
