/** When the next round begins, which an earlier modreg neither reads nor writes: a time that has passed says nothing (D419). */
export const MIGRATION_14 = `
  ALTER TABLE poller ADD COLUMN next_round_at INTEGER;
`;
