import { hostname } from 'node:os';
import { basename } from 'node:path';

/** The name of the machine on its page. */
export function titleOf(path: string): string {
  return `${hostname()} · ${basename(path)}`;
}
