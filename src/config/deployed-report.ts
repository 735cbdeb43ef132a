import * as v from 'valibot';
import { readDeployed, type Deployed } from '../core/index.ts';
import { badType } from './fault.ts';
import { mapOf, parsed, type Schema } from './fields/fields.ts';
import { name } from './fields/name.ts';
import type { Checked } from './check-context.ts';
import { applySchema } from './schema-findings.ts';

const reported: Schema<Deployed> = parsed<Deployed>(
  (value) =>
    typeof value === 'string' || value === null
      ? { ok: true, value: readDeployed(value) }
      : {
          ok: false,
          error: badType(value, 'a version as text, or null for an entry that is not deployed'),
        },
  { type: ['string', 'null'] },
);

const deployedReport: Schema<ReadonlyMap<string, Deployed>> = v.pipe(
  mapOf(name, reported),
  v.transform((report) => new Map(Object.entries(report))),
);

/** Reads the reported deployed versions, keyed by the name of the module entry or subsystem. */
export function checkDeployed(value: unknown): Checked<ReadonlyMap<string, Deployed>> {
  const { output, findings } = applySchema(deployedReport, value);
  return { output, findings, modules: output?.size ?? 0 };
}
