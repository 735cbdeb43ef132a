/** `items`, each before those that come `after` it; those of a cycle stand together. (Kosaraju's algorithm) */
export function inOrder<T>(items: readonly T[], after: (item: T) => readonly T[]): T[] {
  const followers = new Map(items.map((item) => [item, after(item)]));
  const pairs = [...followers].flatMap(([before, later]) =>
    later.map((item) => ({ before, item })),
  );
  const leaders = Map.groupBy(pairs, ({ item }) => item);
  const places = new Map(items.map((item, place) => [item, place]));
  const placed = new Set<T>();
  for (const root of walk(items, followers).toReversed()) {
    if (placed.has(root)) continue;
    // Whatever leads here and has no place yet is part of a cycle with it.
    const circle = new Set([root]);
    for (const item of circle) {
      const missing = (leaders.get(item) ?? []).filter(({ before }) => !placed.has(before));
      for (const { before } of missing) circle.add(before);
    }
    const together = [...circle].toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    for (const item of together) placed.add(item);
  }
  return [...placed];
}

/** An item on the way, and those after it that are still to be looked at. */
interface Step<T> {
  readonly item: T;
  readonly left: T[];
}

/** Every item once, after all that it leads to. The last comes first, so that others keep their order. */
function walk<T>(items: readonly T[], followers: ReadonlyMap<T, readonly T[]>): T[] {
  const seen = new Set<T>();
  const walked: T[] = [];
  for (const root of items.toReversed()) {
    const way: Step<T>[] = [];
    const enter = (item: T): void => {
      if (seen.has(item)) return;
      seen.add(item);
      way.push({ item, left: [...(followers.get(item) ?? [])] });
    };
    enter(root);
    for (let step = way.at(-1); step; step = way.at(-1)) {
      const next = step.left.pop();
      if (next !== undefined) {
        enter(next);
      } else {
        walked.push(step.item);
        way.pop();
      }
    }
  }
  return walked;
}
