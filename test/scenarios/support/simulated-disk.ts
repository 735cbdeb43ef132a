import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';

/** The disk of all SQLite files of a test. */
export interface SimulatedDisk {
  readonly isFull: () => boolean;
  /** No file can grow. */
  fill(): void;
  free(): void;
}

const UNLIMITED = 4_294_967_294;

/** Create it before the first file is opened. */
export function simulatedDisk(): SimulatedDisk {
  const connections = new Set<DatabaseSync>();
  let isFull = false;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its connection
  const { exec } = DatabaseSync.prototype;
  const limit = (connection: DatabaseSync): void => {
    exec.call(connection, `PRAGMA max_page_count = ${isFull ? 1 : UNLIMITED}`);
  };
  // Each connection begins with a call of `exec`.
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    sql,
  ) {
    if (!connections.has(this) && this.location() !== null) {
      connections.add(this);
      limit(this);
    }
    exec.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
  const set = (value: boolean): void => {
    isFull = value;
    for (const connection of connections) {
      if (connection.isOpen) limit(connection);
      else connections.delete(connection);
    }
  };
  return { isFull: () => isFull, fill: () => set(true), free: () => set(false) };
}
