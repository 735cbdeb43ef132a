import { isIPv6 } from 'node:net';

/** So many wrong codes of a client get the usual answer within the time; further ones are told to wait. */
const MOST_WRONG = 10;
const WITHIN_MS = 60_000;
/** With more clients, the one that began first is forgotten. */
const MOST_CLIENTS = 1000;

/**
 * Notes a wrong code of a client, and returns how many milliseconds it should wait if it has sent too many; undefined if it has
 * not. Too many keep no other person out: a right code is accepted all the same, because clients may share an address (T282).
 */
export type WrongCodes = (address: string | undefined, now: number) => number | undefined;

export function wrongCodes(): WrongCodes {
  const seen = new Map<string, { readonly since: number; count: number }>();
  return (address, now) => {
    const client = clientOf(address ?? '');
    const known = seen.get(client);
    // A clock that was set back makes no wait longer.
    const isOver = known === undefined || Math.abs(now - known.since) >= WITHIN_MS;
    const entry = isOver ? { since: now, count: 0 } : known;
    entry.count += 1;
    if (isOver) {
      seen.delete(client);
      seen.set(client, entry);
    }
    for (const oldest of seen.keys()) {
      if (seen.size <= MOST_CLIENTS) break;
      seen.delete(oldest);
    }
    return entry.count > MOST_WRONG ? WITHIN_MS - Math.abs(now - entry.since) : undefined;
  };
}

/** A client of IPv6 has a network of 64 bits to itself. */
function clientOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address.replace('::ffff:', '');
  const [left = '', right = ''] = address.split('::');
  const [before, after] = [groupsIn(left), groupsIn(right)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

function groupsIn(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
