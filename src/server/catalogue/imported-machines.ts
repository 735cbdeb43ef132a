/** The columns of a table that move to another catalogue, and how a row of them is written there. */
export interface ImportedTable {
  readonly columns: readonly string[];
  readonly write: string;
  /** The column by which rows are read in pages; `rowid` if it is absent. */
  readonly key?: 'machine';
  /** Which rows move; all if it is absent. */
  readonly where?: string;
}

function table(
  name: string,
  columns: string,
  more: Pick<ImportedTable, 'key'> = {},
): ImportedTable {
  const names = columns.split(' ');
  const write = `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  return { columns: names, write, ...more };
}

/** Below the floor, numbers may have been given before a restore. A catalogue that was not restored has none to move. */
function floor(name: string): ImportedTable {
  return { columns: ['floor'], write: `UPDATE ${name} SET floor = ?`, where: 'floor > 0' };
}

/** What machines are served, with its history, and what they said (D400). */
export const TABLES_OF_MACHINES: Readonly<Record<string, ImportedTable>> = {
  config_fragments: table('config_fragments', 'name revision at author reason content'),
  machine_configs: table(
    'machine_configs',
    'machine revision at author reason config policy signatures',
  ),
  config_sources: table('config_sources', 'machine revision fragments config policy'),
  config_answers: table('config_answers', 'machine floor at applied refused code detail', {
    key: 'machine',
  }),
  config_floor: floor('config_floor'),
  machine_commands: table(
    'machine_commands',
    'machine number key kind module term reason author at expires_at result detail answered_at version signed',
  ),
  commanded_machines: table('commanded_machines', 'machine', { key: 'machine' }),
  command_floor: floor('command_floor'),
  // The import seals values of a single server; those in a restored file of a front are sealed already.
  machine_secrets: {
    columns: ['machine', 'name', 'places', 'key', 'sealed'],
    write:
      'INSERT OR REPLACE INTO machine_secrets (machine, name, places, key, sealed) VALUES (?, ?, ?, ?, ?)',
  },
};
