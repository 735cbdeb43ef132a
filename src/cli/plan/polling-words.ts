import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { PollingEvent } from '../../poller/event.ts';
import type { Problem } from '../../base/problem.ts';

/** Thrown when a document of the machine can no longer be read. */
export class UnreadableSite extends Error {
  override readonly name = 'UnreadableSite';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const [first] = problems;
    const because = first?.because?.[0] === undefined ? '' : `: ${first.because[0]}`;
    super(`${first?.message ?? 'it has no reason'}${because}`);
    this.problems = problems;
  }
}

/** A lasting condition of polling that began or ended, in one line; undefined for an error in modreg. */
export function describePolling(event: PollingEvent): string | undefined {
  switch (event.kind) {
    case 'registry-unavailable': {
      const again = describeDuration(event.retryMs);
      return `${event.error.message}; next attempt in ${again}; modules keep running`;
    }
    case 'registry-available':
      return `the registry is available again after ${describeDuration(event.afterMs)}`;
    case 'list-unavailable':
      return event.error.message;
    case 'list-available':
      return `the list of ${event.moduleId} is available again`;
    case 'configuration-unreadable':
      return 'the documents that were read last stay in use, because:';
    case 'configuration-readable':
      return 'the documents of the machine can be read again';
    case 'callback-error':
      return undefined;
  }
}

/** The problems that made a document unreadable, or the error in modreg. */
export function problemsIn(event: PollingEvent): readonly Problem[] {
  if (event.kind !== 'configuration-unreadable' && event.kind !== 'callback-error') return [];
  const { error } = event;
  if (error instanceof UnreadableSite) return error.problems;
  const message = `this is a bug in modreg: ${excerpt(String(error))}`;
  return [{ severity: 'error', kind: 'internal', message }];
}
