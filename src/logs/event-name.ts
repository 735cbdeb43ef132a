/** The name of an event for a collector of logs. `kind` is the event's own word for it. */
export function eventName(of: 'agent' | 'module' | 'poller' | 'server', kind: string): string {
  return `modreg.${of}.${kind.replaceAll('-', '_')}`;
}

/** What the line of `modreg.module.backing-off` has before the wait: `1.1.0 is started again in 40 s`. */
export const AGAIN_IN = ' is started again in ';
