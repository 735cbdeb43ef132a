import type { Statements } from '../../sqlite/statements.ts';
import { firstFew } from '../../core/text/few.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { presenceIn, silentAfter, type Presence } from '../fleet/presence.ts';
import { eachInSlices, type Slices } from '../fleet/slices.ts';
import type { Notice } from '../notice.ts';

/** What the keys of silent machines begin with. */
export const SILENT = 'machine-silent ';
/** So many machines are named; a fleet that loses its network is one notice. */
const NAMED = 20;
const SHOWN = 3;

/** Whether each machine is there, and after how long without a request it is silent. */
export interface Presences {
  readonly of: ReadonlyMap<string, Presence>;
  readonly silentMs: number;
}

export function* presences(sql: Statements, now: number): Slices<Presences> {
  const silentMs = silentAfter(sql);
  const of = new Map<string, Presence>();
  yield* eachInSlices(sql.iterate(MACHINES), (row) => {
    of.set(String(row['name']), presenceIn(row, now, silentMs));
  });
  return { of, silentMs };
}

const MACHINES = 'SELECT name, seen_at, contact_at, every_ms, retired_at FROM machines';

/** Which machines are silent now and were not, and which were and are no more. Those that were retired are not back. */
export interface PresenceChange {
  readonly silent: readonly string[];
  readonly back: readonly string[];
  readonly retired: readonly string[];
}

export function presenceChange(known: ReadonlySet<string>, { of }: Presences): PresenceChange {
  const silent = [...of].flatMap(([name, presence]) =>
    presence === 'silent' && !known.has(SILENT + name) ? [name] : [],
  );
  const before = [...known].flatMap((key) =>
    key.startsWith(SILENT) ? [key.slice(SILENT.length)] : [],
  );
  const isBack = (name: string): boolean => /^(?:online|quiet)$/.test(of.get(name) ?? '');
  const isGone = (name: string): boolean => (of.get(name) ?? 'retired') === 'retired';
  return { silent, back: before.filter(isBack), retired: before.filter(isGone) };
}

/** What is told of it: at most a notice of each kind (D211). */
export function presenceNotices({ silent, back }: PresenceChange, silentMs: number): Notice[] {
  const heard = `heard for ${describeDuration(silentMs)}`;
  return [
    ...aboutMachines('machine-silent', silent, `not ${heard}`),
    ...aboutMachines('machine-back', back, 'heard again'),
  ];
}

/** One notice about all of these machines; none if there are none. */
export function aboutMachines(
  event: Notice['event'],
  machines: readonly string[],
  what: string,
): Notice[] {
  if (machines.length === 0) return [];
  const names = firstFew(
    machines.map((name) => excerpt(name)),
    SHOWN,
  ).join(', ');
  const facts = { machines: machines.slice(0, NAMED), count: machines.length };
  return [{ event, facts, text: `${names}: ${what}` }];
}
