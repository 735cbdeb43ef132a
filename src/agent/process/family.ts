import type { Process } from './process-table.ts';

/** The processes that belong to one program, as far as they were seen. */
export interface Family {
  /** Adds a process that belongs to it for another reason, such as its mark. */
  readonly add: (process: Process) => void;
  /**
   * Returns those of a table of all processes, and remembers them: those that were seen before, what they have started, and
   * what is in their sessions. A process is the same one only with the same start time, so none is mistaken for another.
   */
  readonly among: (table: readonly Process[]) => readonly Process[];
  /** Those that the last `among` has returned. */
  readonly known: () => readonly Process[];
}

/** The family of a program that leads a session of its own; undefined for processes that are only added. */
export function familyOf(program?: Process): Family {
  const first = program ? [program] : [];
  let known = new Map(first.map((one) => [one.pid, one]));
  let sessions = new Set(first.map((one) => one.session));
  return {
    add: (one) => void known.set(one.pid, one),
    among: (table) => {
      const found = relatives({ known, sessions }, table);
      known = new Map(found.map((one) => [one.pid, one]));
      sessions = new Set(found.map((one) => one.session));
      return found;
    },
    known: () => [...known.values()],
  };
}

interface Seen {
  readonly known: ReadonlyMap<number, Process>;
  readonly sessions: ReadonlySet<number>;
}

function relatives({ known, sessions }: Seen, table: readonly Process[]): Process[] {
  const running = new Set(table.map(({ pid }) => pid));
  const own = new Map<number, Process>();
  const isOwn = ({ pid, startedAt, parent, session }: Process): boolean =>
    known.get(pid)?.startedAt === startedAt ||
    own.has(parent) ||
    own.has(session) ||
    // Its number belongs to no other process while it has a member. If its leader runs, that one decides.
    (sessions.has(session) && !running.has(session));
  for (let before = -1; before < own.size;) {
    before = own.size;
    for (const one of table) if (one.pid !== process.pid && isOwn(one)) own.set(one.pid, one);
  }
  return [...own.values()];
}
