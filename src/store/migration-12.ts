import { MIGRATION_11 } from './migration-11.ts';
import { MIGRATION_13 } from './migration-13.ts';
import { MIGRATION_14 } from './migration-14.ts';

/** The trust documents that policies name. Their digest shows whether one is whole, so that it needs no checksum (D138). */
const MIGRATION_12 = `
  CREATE TABLE trust_documents (
    id INTEGER PRIMARY KEY,
    pin TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
  ) STRICT;
`;

/** The last migrations. */
export const LATER_MIGRATIONS: readonly string[] = [
  MIGRATION_11,
  MIGRATION_12,
  MIGRATION_13,
  MIGRATION_14,
];
