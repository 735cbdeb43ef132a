/** The name of an event for a collector of logs. `kind` is the event's own word for it. */
export function eventName(of: 'agent' | 'module' | 'poller' | 'server', kind: string): string {
  return `modreg.${of}.${kind.replaceAll('-', '_')}`;
}
