import type { ModuleId } from '../../core/index.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';

/** What was changed. */
type ChangedThing =
  | { readonly kind: 'documents'; readonly machine: string; readonly revision: number }
  | {
      readonly kind: 'commands';
      readonly machine: string;
      readonly command: string;
      /** Undefined for the whole machine. */
      readonly module: string | undefined;
      /** How long a hold lasts; undefined for other commands. */
      readonly term: string | undefined;
      /** The version that is lifted from quarantine; undefined for other commands. */
      readonly version: string | undefined;
      /** What the machine answered; undefined until then. */
      readonly result: string | undefined;
    }
  | {
      readonly kind: 'rollouts';
      readonly moduleId: ModuleId;
      readonly version: string;
      /** Such as `raised`. */
      readonly event: string;
    }
  | { readonly kind: 'fragments'; readonly name: string; readonly revision: number }
  | {
      readonly kind: 'others';
      /** Such as `secret-set`. */
      readonly what: string;
      readonly machine: string | undefined;
      readonly name: string | undefined;
    };

/** A change, with when, who and why. */
export interface RecordedChange {
  /** Its place in its table. */
  readonly place: number;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** Undefined for events of rollouts that the registry made itself, or whose author is not known (D375). */
  readonly author: string | undefined;
  readonly reason: string | undefined;
  readonly thing: ChangedThing;
}

/** Up to where changes were shown: the places of the last ones in each table. */
export type ShownUpTo = Readonly<Partial<Record<ChangedThing['kind'], number>>>;

/** Which changes are asked for. */
export interface WantedChanges {
  /** Only those of a machine. */
  readonly machine: string | undefined;
  readonly before: ShownUpTo;
  readonly limit: number;
}

/** By the order of the rows, in which they were written: an index by time would be written with each change. */
const OF_MACHINE = '(?1 IS NULL OR machine = ?1) AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3';
const QUERIES: Readonly<Record<ChangedThing['kind'], string>> = {
  documents: `SELECT rowid AS place, at, author, reason, machine, revision FROM machine_configs WHERE ${OF_MACHINE}`,
  commands: `SELECT rowid AS place, at, author, reason, machine, kind, module, term, version, result FROM machine_commands WHERE ${OF_MACHINE}`,
  rollouts: `SELECT event.sequence AS place, event.at AS at, event.kind AS kind, event.content AS content,
      namespace || ':' || name AS id, version, author
    FROM rollout_events AS event LEFT JOIN rollout_authors ON rollout_authors.sequence = event.sequence JOIN modules ON modules.id = event.module JOIN releases ON releases.id = release
    WHERE ?1 IS NULL AND event.sequence < ?2 ORDER BY event.sequence DESC LIMIT ?3`,
  fragments: `SELECT rowid AS place, at, author, reason, name, revision FROM config_fragments
    WHERE ?1 IS NULL AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3`,
  others: `SELECT id AS place, at, author, NULL AS reason, kind, machine, name FROM noted_changes WHERE ${OF_MACHINE}`,
};

/** The kinds of changes. */
export const CHANGED = ['documents', 'commands', 'rollouts', 'fragments', 'others'] as const;

/** The newest changes, the newest first (D324, D443, D457). */
export function recordedChanges(
  sql: Statements,
  { machine, before, limit }: WantedChanges,
): readonly RecordedChange[] {
  const tables = CHANGED.map((kind) =>
    sql
      .all(QUERIES[kind], machine ?? null, before[kind] ?? Number.MAX_SAFE_INTEGER, limit)
      .map((row) => changeIn(kind, row)),
  );
  return merged(tables, limit);
}

/** The newest of the tables, each of which stays in its order, also where the clock was set back. */
function merged(
  tables: readonly (readonly RecordedChange[])[],
  limit: number,
): readonly RecordedChange[] {
  const left = tables.map((table) => [...table]);
  const found: RecordedChange[] = [];
  while (found.length < limit) {
    const heads = left.filter(({ length }) => length > 0);
    const [newest] = heads.toSorted(([a], [b]) => (b?.at ?? 0) - (a?.at ?? 0));
    const change = newest?.shift();
    if (!change) break;
    found.push(change);
  }
  return found;
}

function changeIn(kind: ChangedThing['kind'], row: Row): RecordedChange {
  const [place, at] = [Number(row['place']), Number(row['at'])];
  if (kind === 'rollouts') {
    const { because } = Object(storedJson(row['content']));
    const reason = typeof because === 'string' && because !== '' ? because : undefined;
    return { place, at, author: textIn(row['author']), reason, thing: thingIn(kind, row) };
  }
  const [author, reason] = [String(row['author']), textIn(row['reason'])];
  return { place, at, author, reason, thing: thingIn(kind, row) };
}

function thingIn(kind: ChangedThing['kind'], row: Row): ChangedThing {
  const machine = String(row['machine']);
  switch (kind) {
    case 'documents':
      return { kind, machine, revision: Number(row['revision']) };
    case 'commands': {
      const [module, result] = [textIn(row['module']), textIn(row['result'])];
      const [term, version] = [textIn(row['term']), textIn(row['version'])];
      return { kind, machine, command: String(row['kind']), module, term, version, result };
    }
    case 'rollouts': {
      // A cast: it is of the row of a module.
      const moduleId = String(row['id']) as ModuleId;
      return { kind, moduleId, version: String(row['version']), event: String(row['kind']) };
    }
    case 'fragments':
      return { kind, name: String(row['name']), revision: Number(row['revision']) };
    case 'others': {
      const [of, name] = [textIn(row['machine']), textIn(row['name'])];
      return { kind, what: String(row['kind']), machine: of, name };
    }
  }
}

function textIn(value: Row[string] | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
