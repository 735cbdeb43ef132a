/** `items`, each before those that come `after` it. What is part of a cycle, or comes after one, is last. */
export function inOrder<T>(items: readonly T[], after: (item: T) => readonly T[]): T[] {
  const followers = new Map(items.map((item) => [item, new Set(after(item))]));
  // Of each, how many come before it that are not placed yet.
  const waiting = new Map(items.map((item) => [item, 0]));
  for (const later of followers.values()) {
    for (const item of later) waiting.set(item, (waiting.get(item) ?? 0) + 1);
  }
  const placed = new Set(items.filter((item) => waiting.get(item) === 0));
  // A set hands out what is added to it meanwhile.
  for (const item of placed) {
    for (const follower of followers.get(item) ?? []) {
      const left = (waiting.get(follower) ?? 0) - 1;
      waiting.set(follower, left);
      if (left === 0) placed.add(follower);
    }
  }
  return [...placed, ...items.filter((item) => !placed.has(item))];
}
