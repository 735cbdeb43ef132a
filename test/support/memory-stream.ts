import type { EventStream } from '../../src/cluster/event-stream.ts';
import type { LoggedEvent } from '../../src/server/catalogue/change-log.ts';

/** A stream of events in memory, which never fails. `put` appends whatever it gets, as another writer does. */
export function memoryStream(): EventStream & {
  readonly put: (subject: string, body: string) => void;
} {
  const events: LoggedEvent[] = [];
  const lasts = new Map<string, number>();
  const wakes = new Set<() => void>();
  const read: EventStream['read'] = async (sequence) => await Promise.resolve(events[sequence - 1]);
  const lastOf = (subject: string): number => lasts.get(subject) ?? 0;
  const add = (event: Omit<LoggedEvent, 'sequence'>): number => {
    const sequence = events.push({ ...event, sequence: events.length + 1 });
    lasts.set(event.subject, sequence);
    for (const wake of wakes) wake();
    return sequence;
  };
  return {
    read,
    readAtLeader: read,
    last: async () => await Promise.resolve(events.length),
    created: () => 'once',
    isFilling: () => false,
    isOfAnother: () => false,
    lastOf: async (subject) => await Promise.resolve(lastOf(subject)),
    async append(event, expected) {
      const isExpected =
        'last' in expected
          ? expected.last === events.length
          : expected.lastOfSubject === lastOf(event.subject);
      return await Promise.resolve(isExpected ? add(event) : undefined);
    },
    onNews(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
    put: (subject, body) => void add({ subject, body, id: `${events.length}` }),
  };
}
