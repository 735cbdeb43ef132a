import * as v from 'valibot';
import { readDeployed, type Deployed } from '../core/index.ts';
import { badType } from './fault.ts';
import { mapOf, reads, type Schema } from './fields/fields.ts';
import { name } from './fields/name.ts';
import type { Judged } from './judged.ts';
import { applySchema } from './schema-findings.ts';

const reported: Schema<Deployed> = reads<Deployed>(
  (value) =>
    typeof value === 'string' || value === null
      ? { ok: true, value: readDeployed(value) }
      : { ok: false, error: badType(value, 'a version as text, or null for what is not deployed') },
  { type: ['string', 'null'] },
);

const deployedReport: Schema<ReadonlyMap<string, Deployed>> = v.pipe(
  mapOf(name, reported),
  v.transform((report) => new Map(Object.entries(report))),
);

/** Reads what was reported to run, by the name of the module entry or the subsystem. */
export function judgeDeployed(value: unknown): Judged<ReadonlyMap<string, Deployed>> {
  const { output, findings } = applySchema(deployedReport, value);
  return { output, findings, modules: output?.size ?? 0 };
}
