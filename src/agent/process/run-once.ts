import { describeDuration } from '../../core/text/duration.ts';
import type { Result } from '../../core/text/result.ts';
import { launch, type ProgramStart } from './launch.ts';
import { describeEnd } from './program-end.ts';
import { lastWords } from './program-output.ts';
import { notStarted, type LaunchFailure } from './runnable.ts';

/**
 * Runs a program that must end with exit code 0 within `limitMs`. Then nothing of it is left: what it started in the
 * background is killed, and at the limit all of it. Rejects with the reason of `signal`, once nothing is left either.
 */
export async function runOnce(
  start: ProgramStart,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<Result<undefined, LaunchFailure>> {
  signal.throwIfAborted();
  const words = lastWords(start.onLine);
  const launched = await launch({ ...start, onLine: words.onLine });
  if (!launched.ok) return { ok: false, error: notStarted(launched.error) };
  const { ended, stop } = launched.value;
  const end = await Promise.race([ended, over(limitMs, signal)]);
  await stop(0);
  signal.throwIfAborted();
  if (end?.kind === 'exited' && end.code === 0) return { ok: true, value: undefined };
  const how = end ? describeEnd(end) : `it took longer than ${describeDuration(limitMs)}`;
  return { ok: false, error: { blame: 'release', reason: words.with(how) } };
}

/** Resolves after `ms`, or when `signal` aborts. */
async function over(ms: number, signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  // Its timer does not depend on the wall clock, and does not keep the process alive.
  const either = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  if (either.aborted) return undefined;
  either.addEventListener('abort', () => resolve(undefined), { once: true });
  return await promise;
}
