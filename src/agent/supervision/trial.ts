import type { Installed } from '../../core/machine/activation.ts';
import type { Lifecycle, LifecycleEvent, Serving, Step } from './lifecycle.ts';
import { switching, type Process } from './steps.ts';

/** Replaces the version in use by a candidate. */
export function tried(
  event: Extract<LifecycleEvent, { readonly event: 'activate' }>,
  serving: Replaced | undefined,
  process: Process,
): Step {
  const { action, restorable, inherited } = event;
  const { run, previous: older, failed: other, crashes } = serving ?? {};
  const same = [older, other, inherited].filter((one) => one?.root === event.candidate.root);
  const isProven = same.some((one) => one?.isProven);
  const candidate = isProven ? { ...event.candidate, isProven: true as const } : event.candidate;
  const previous = run?.root === restorable ? run : undefined;
  // What failed when it was tried never worked here.
  const isKnown =
    candidate.isProven === true || same.some((one) => one !== other && !one?.hasFailed);
  const failed = previous ? undefined : comparable(event, serving, isKnown);
  const row = { phase: 'trying', action, candidate, previous, attempts: 1, failed } as const;
  return switching({ to: 'trying', row, crashes }, process);
}

/** The version in use that a candidate replaces. */
type Replaced = Serving & { readonly state?: Lifecycle['state'] };

/**
 * The version that worked before the candidate: if both fail, the cause may be outside both releases (D80). Without `hasFailed`, it
 * must not run any more, whatever becomes of the candidate (D102), or ran under an earlier name of the entry (D105).
 */
function comparable(
  {
    candidate,
    isBack,
    isRefused,
    inherited,
  }: Extract<LifecycleEvent, { readonly event: 'activate' }>,
  serving: Replaced | undefined,
  isKnown: boolean,
): Installed | undefined {
  if (!serving) return inherited?.isUndecided ? unblamed(inherited) : undefined;
  const { run, crashes, state } = serving;
  if (run.root === candidate.root) {
    // It is tried again after the machine could not start it (D121).
    return (run.hasFailed ?? run.isUndecided) ? { ...run, hasFailed: true } : undefined;
  }
  if (isBack && isKnown) return unblamed(run);
  const crashed = crashes.count > 0 && state !== 'running' && state !== 'held';
  // The agent may have been started since: then only the mark says that it crashed (D120).
  const isDoubtful = run.hasFailed ?? run.isUndecided ?? crashed;
  if (isRefused || !isDoubtful) return undefined;
  return isKnown && !run.hasFailed ? unblamed(run) : { ...run, hasFailed: true };
}

function unblamed({ version, root, isProven }: Installed): Installed {
  return { version, root, isProven };
}
