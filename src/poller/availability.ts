import type { ModuleId } from '../core/index.ts';
import type { ListResult } from '../registry/registry.ts';
import type { RegistryError } from '../registry/registry-error.ts';
import type { Polling } from './polling.ts';

/** The answer of a registry for each requested module. */
export type ListResults = ReadonlyMap<ModuleId, ListResult>;

/** Reports an unavailable registry or list once, and once when it is available again. */
export class Availability {
  readonly #polling: Pick<Polling, 'clock' | 'onEvent'>;
  readonly #unavailable = new Set<ModuleId>();
  #outage: { readonly since: number } | undefined;

  constructor(polling: Pick<Polling, 'clock' | 'onEvent'>) {
    this.#polling = polling;
  }

  /** Reports what an answer changes. The registry is polled again in `retryMs` milliseconds. */
  report(results: ListResults, retryMs: number): void {
    for (const moduleId of this.#unavailable) {
      if (!results.has(moduleId)) this.#unavailable.delete(moduleId);
    }
    const failure = registryFailure(results);
    this.#reportRegistry(failure, retryMs);
    // An outage is reported for the registry, not for each of its lists.
    if (!failure) this.#reportLists(results);
  }

  #reportRegistry(failure: RegistryError | undefined, retryMs: number): void {
    const { clock, onEvent } = this.#polling;
    if (failure) {
      if (!this.#outage) onEvent({ kind: 'registry-unavailable', error: failure, retryMs });
      this.#outage ??= { since: clock.monotonic() };
    } else if (this.#outage) {
      onEvent({ kind: 'registry-available', afterMs: clock.monotonic() - this.#outage.since });
      this.#outage = undefined;
    }
  }

  #reportLists(results: ListResults): void {
    const { onEvent } = this.#polling;
    for (const [moduleId, result] of results) {
      const error = errorOf(result);
      const isKnown = this.#unavailable.has(moduleId);
      if (error && !isKnown) onEvent({ kind: 'list-unavailable', moduleId, error });
      if (!error && isKnown) onEvent({ kind: 'list-available', moduleId });
      if (error) this.#unavailable.add(moduleId);
      else this.#unavailable.delete(moduleId);
    }
  }
}

/** Why lists are not current, in the order of the modules. */
export function errorsIn(results: ListResults): RegistryError[] {
  return Array.from(results.values(), errorOf).filter((error) => error !== undefined);
}

function errorOf(result: ListResult): RegistryError | undefined {
  return result.ok ? result.value.stale : result.error;
}

/** Why the registry returned no list at all; undefined if it returned one. An unknown module is an answer. */
export function registryFailure(results: ListResults): RegistryError | undefined {
  const errors = errorsIn(results);
  if (errors.length < results.size) return undefined;
  return errors.find(({ kind }) => kind !== 'unknown-module');
}
