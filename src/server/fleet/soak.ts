import type { Rollout } from '../../core/rollout/rollout.ts';
import type { Statements } from '../../sqlite/statements.ts';

type Soaking = Pick<Rollout, 'salt' | 'soakingSince'>;

/** How long the step of a rollout has lasted while a controller ran. If the file is lost, the step begins again. */
export function soakedMs(sql: Statements, { salt, soakingSince }: Soaking): number {
  const row = sql.get('SELECT since, soaked_ms FROM soaks WHERE salt = ?', salt);
  return row?.['since'] === soakingSince ? Number(row['soaked_ms']) : 0;
}

/** Adds elapsed time, which no jump of the clock of the machine changes. The caller has a transaction (T161). */
export function addSoak(sql: Statements, rollout: Soaking, elapsedMs: number): number {
  const soaked = soakedMs(sql, rollout) + elapsedMs;
  sql.run(
    `INSERT INTO soaks VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET since = excluded.since, soaked_ms = excluded.soaked_ms`,
    rollout.salt,
    rollout.soakingSince,
    Math.round(soaked),
  );
  return soaked;
}
