import type { ModuleId } from '../core/index.ts';
import type { ListResult, RegistryError } from '../registry/index.ts';
import type { Polling } from './polling.ts';

/** What a registry answered for each module that it was asked for. */
export type Readings = ReadonlyMap<ModuleId, ListResult>;

/** Reports once that a registry or one of its lists becomes unavailable, and once that it is available again. */
export class Availability {
  readonly #polling: Pick<Polling, 'clock' | 'onEvent'>;
  readonly #unavailable = new Set<ModuleId>();
  #outage: { readonly since: number } | undefined;

  constructor(polling: Pick<Polling, 'clock' | 'onEvent'>) {
    this.#polling = polling;
  }

  /** Reports what changed with an answer. The registry is asked again in `retryMs`. */
  report(readings: Readings, retryMs: number): void {
    for (const moduleId of this.#unavailable) {
      if (!readings.has(moduleId)) this.#unavailable.delete(moduleId);
    }
    const failure = registryFailure(readings);
    this.#reportRegistry(failure, retryMs);
    // An outage is reported for the registry, not for each of its lists.
    if (!failure) this.#reportLists(readings);
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

  #reportLists(readings: Readings): void {
    const { onEvent } = this.#polling;
    for (const [moduleId, reading] of readings) {
      const error = errorOf(reading);
      const isKnown = this.#unavailable.has(moduleId);
      if (error && !isKnown) onEvent({ kind: 'list-unavailable', moduleId, error });
      if (!error && isKnown) onEvent({ kind: 'list-available', moduleId });
      if (error) this.#unavailable.add(moduleId);
      else this.#unavailable.delete(moduleId);
    }
  }
}

/** Why lists are not the registry's current ones, in the order of the modules. */
export function errorsIn(readings: Readings): RegistryError[] {
  return Array.from(readings.values(), errorOf).filter((error) => error !== undefined);
}

function errorOf(reading: ListResult): RegistryError | undefined {
  return reading.ok ? reading.value.stale : reading.error;
}

/** Why the registry gave no list at all; undefined if it gave one. That a module does not exist is an answer. */
export function registryFailure(readings: Readings): RegistryError | undefined {
  const errors = errorsIn(readings);
  if (errors.length < readings.size) return undefined;
  return errors.find(({ kind }) => kind !== 'unknown-module');
}
