import type { Clock } from '../registry/clock.ts';
import type { SelfUpdate } from './self-update.ts';

/** How the start of an agent is followed. */
interface StartTerms {
  readonly clock: Clock;
  /** The probation of modules. */
  readonly probationMs: number;
  /** Reports the release that the launcher went back from. */
  readonly report: (
    failure: NonNullable<ReturnType<SelfUpdate['failure']>> & { readonly running: string },
  ) => Promise<void>;
  /** Called with an error of the system. Modules run all the same. */
  readonly onError: (error: unknown) => void;
  /** Aborts when the agent is stopped. */
  readonly stopping: AbortSignal;
}

/**
 * Reports what the launcher went back from, which must not be installed again (A21). An agent that then stays up for twice the
 * probation works: its first round falls into this time. One that is stopped before says nothing about its version.
 */
export async function followStart(
  selfUpdate: SelfUpdate,
  { clock, probationMs, report, onError, stopping }: StartTerms,
): Promise<void> {
  const attempt = async (work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
  };
  await attempt(async () => {
    selfUpdate.begin();
    const failure = selfUpdate.failure();
    if (failure) await report({ ...failure, running: selfUpdate.running });
    selfUpdate.forgetFailure();
  });
  try {
    await clock.sleep(2 * probationMs, stopping);
  } catch (error) {
    if (!stopping.aborted) throw error;
    await attempt(() => selfUpdate.forgive());
    return;
  }
  await attempt(() => selfUpdate.confirm());
}
