/** An item on the way, and those after it that are still to be looked at. */
interface Step<T> {
  readonly item: T;
  readonly left: T[];
}

/** `items`, each before those that come `after` it, but for those of one cycle. */
export function inOrder<T>(items: readonly T[], after: (item: T) => readonly T[]): T[] {
  const seen = new Set<T>();
  // The last comes first, so that what nothing is said of keeps its order.
  const lastFirst: T[] = [];
  for (const root of items.toReversed()) {
    const way: Step<T>[] = [];
    const enter = (item: T): void => {
      if (seen.has(item)) return;
      seen.add(item);
      way.push({ item, left: [...after(item)] });
    };
    enter(root);
    for (let step = way.at(-1); step; step = way.at(-1)) {
      const next = step.left.pop();
      if (next !== undefined) {
        enter(next);
      } else {
        lastFirst.push(step.item);
        way.pop();
      }
    }
  }
  return lastFirst.toReversed();
}
