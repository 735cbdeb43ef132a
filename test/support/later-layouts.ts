import type { Layout } from '../../src/sqlite/schema.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';

/** The schema of today's `machine.db`, and that of a later modreg. */
export const TODAY: number = LAYOUT.migrations.length;
export const LATER: number = TODAY + 1;

/** A later modreg whose files today's modreg can use. */
export const ADDITIVE: Layout = {
  ...LAYOUT,
  migrations: [
    ...LAYOUT.migrations,
    `
    ALTER TABLE deployed ADD COLUMN site TEXT;
    ALTER TABLE quarantine ADD COLUMN site TEXT;
    ALTER TABLE restarts ADD COLUMN site TEXT;
    ALTER TABLE actions ADD COLUMN site TEXT;
    CREATE TABLE sites (name TEXT PRIMARY KEY) STRICT;
    `,
  ],
};

/** A later modreg whose files today's modreg cannot use. */
export const BREAKING: Layout = {
  ...LAYOUT,
  migrations: [
    ...LAYOUT.migrations,
    'ALTER TABLE saved_contents RENAME COLUMN content TO body; CREATE TABLE sites (name TEXT);',
  ],
  oldestReader: LATER,
};

/** As `BREAKING`, but its migration never ends. */
export const ENDLESS: Layout = {
  ...BREAKING,
  migrations: [
    ...LAYOUT.migrations,
    `
    ALTER TABLE saved_contents RENAME COLUMN content TO body;
    CREATE TABLE numbers AS
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number)
      SELECT count(*) FROM number;
    `,
  ],
};
