/** `items`, each before those that come `after` it. The items of a cycle are adjacent (Kosaraju's algorithm). */
export function inOrder<T>(items: readonly T[], after: (item: T) => readonly T[]): T[] {
  const followers = new Map(items.map((item) => [item, after(item)]));
  const pairs = [...followers].flatMap(([before, later]) =>
    later.map((item) => ({ before, item })),
  );
  const predecessors = Map.groupBy(pairs, ({ item }) => item);
  const places = new Map(items.map((item, place) => [item, place]));
  const placed = new Set<T>();
  for (const root of postOrder(items, followers).toReversed()) {
    if (placed.has(root)) continue;
    // An unplaced item that leads to `root` is in a cycle with it.
    const cycle = new Set([root]);
    for (const item of cycle) {
      const unplaced = (predecessors.get(item) ?? []).filter(({ before }) => !placed.has(before));
      for (const { before } of unplaced) cycle.add(before);
    }
    const together = [...cycle].toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    for (const item of together) placed.add(item);
  }
  return [...placed];
}

/** An item on the current path, and its followers that are not visited yet. */
interface Step<T> {
  readonly item: T;
  readonly left: T[];
}

/** Every item once, after everything that it leads to. Starts with the last item, so that unrelated items keep their order. */
function postOrder<T>(items: readonly T[], followers: ReadonlyMap<T, readonly T[]>): T[] {
  const seen = new Set<T>();
  const visited: T[] = [];
  for (const root of items.toReversed()) {
    const path: Step<T>[] = [];
    const enter = (item: T): void => {
      if (seen.has(item)) return;
      seen.add(item);
      path.push({ item, left: [...(followers.get(item) ?? [])] });
    };
    enter(root);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const next = step.left.pop();
      if (next !== undefined) {
        enter(next);
      } else {
        visited.push(step.item);
        path.pop();
      }
    }
  }
  return visited;
}
