/** Why modules must not run, by their names. */
export class ModuleHolds {
  readonly #holds = new Map<string, Set<string>>();

  add(name: string, reason: string): void {
    const reasons = this.#holds.get(name) ?? new Set<string>();
    this.#holds.set(name, reasons.add(reason));
  }

  has(name: string, reason: string): boolean {
    return this.#holds.get(name)?.has(reason) === true;
  }

  isHeld(name: string): boolean {
    return (this.#holds.get(name)?.size ?? 0) > 0;
  }

  /** Ends a hold. Returns whether it was the last one of the module. */
  end(name: string, reason: string): boolean {
    const reasons = this.#holds.get(name);
    return reasons?.delete(reason) === true && reasons.size === 0;
  }

  /** Each hold, as the name of a module and a reason. */
  *[Symbol.iterator](): Generator<readonly [string, string]> {
    for (const [name, reasons] of this.#holds) for (const one of reasons) yield [name, one];
  }
}

/** Why a module is held until the one that ends under this name has ended. */
export function endOf(name: string): string {
  return `the end of ${name}`;
}
