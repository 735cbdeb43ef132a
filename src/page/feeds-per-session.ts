/** Counts the open feeds of each session, so that one person does not take the connections of the others (T288). */
export interface FeedsPerSession {
  /** Begins a feed, and returns a function that ends it; undefined if the session has as many as it may have. */
  readonly begin: (session: string) => (() => void) | undefined;
}

/** At most `max` feeds for each session. Only sessions with an open feed are remembered. */
export function feedsPerSession(max: number): FeedsPerSession {
  const open = new Map<string, Set<symbol>>();
  return {
    begin(session) {
      const feeds = open.get(session) ?? new Set();
      if (feeds.size >= max) return undefined;
      const feed = Symbol(session);
      open.set(session, feeds.add(feed));
      return () => {
        feeds.delete(feed);
        if (feeds.size === 0 && open.get(session) === feeds) open.delete(session);
      };
    },
  };
}
