import type { Statements } from '../../sqlite/statements.ts';

/** What machines report about a module: a row of `states`. */
export interface SharedState {
  /** Its sha256 in hexadecimal. */
  readonly digest: string;
  readonly moduleId: string;
  readonly deployed: string;
  readonly decision: string;
  /** As JSON. */
  readonly content: string;
}

/**
 * How many machines share each state, within one transaction. Machines that report at the same time share few states, so each is
 * read and written once for all of them.
 */
export interface StateCounts {
  /** One machine more has it. Returns the id of its row. */
  readonly share: (state: SharedState) => number;
  /** One machine fewer has it. */
  readonly release: (id: number) => void;
  /** Begins a report. The result forgets what was shared and released since (T247). */
  readonly begin: () => () => void;
  /** Writes the counts. A state that no machine has any more is deleted. */
  readonly write: () => void;
}

export function stateCounts(sql: Statements): StateCounts {
  const ids = new Map<string, number>();
  const changes = new Map<number, number>();
  let undo: (() => void)[] = [];
  const add = (id: number, by: number): void => {
    changes.set(id, (changes.get(id) ?? 0) + by);
  };
  const change = (id: number, by: number): void => {
    add(id, by);
    undo.push(() => add(id, -by));
  };
  return {
    share(state) {
      const known = ids.get(state.digest);
      const id = known ?? idOf(sql, state);
      if (known === undefined) {
        ids.set(state.digest, id);
        undo.push(() => ids.delete(state.digest));
      }
      change(id, 1);
      return id;
    },
    release: (id) => change(id, -1),
    begin() {
      undo = [];
      return () => undo.forEach((one) => one());
    },
    write() {
      for (const [id, by] of changes) {
        const left = sql.get(COUNT, by, id);
        if (left?.['machines'] === 0) sql.run('DELETE FROM states WHERE id = ?', id);
      }
    },
  };
}

const COUNT = 'UPDATE states SET machines = machines + ? WHERE id = ? RETURNING machines';
const SHARE = `INSERT INTO states (digest, module_id, deployed, decision, content, machines) VALUES (?, ?, ?, ?, ?, 0)
  ON CONFLICT (digest) DO UPDATE SET machines = machines RETURNING id`;

function idOf(
  sql: Statements,
  { digest, moduleId, deployed, decision, content }: SharedState,
): number {
  const bytes = Buffer.from(digest, 'hex');
  return Number(sql.get(SHARE, bytes, moduleId, deployed, decision, content)?.['id']);
}
