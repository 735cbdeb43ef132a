import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { ServedConfig } from '../../core/trust/served-config.ts';
import { usable, valueOf, type UsableDocuments } from '../../config/served/checked-served.ts';
import { merged, type Documents } from '../../config/served/merged.ts';
import { servedIn } from '../../config/served/verdict.ts';
import type { Problem } from '../../base/problem.ts';
import type { DocumentFile } from '../document-file.ts';
import type { PlanDocuments } from '../plan-documents.ts';

/** The machine's own documents, as values of JSON. */
export function localOf({ sources }: Pick<PlanDocuments, 'sources'>): Documents {
  const { machine, policy } = sources;
  return { config: valueIn(machine), policy: policy ? valueIn(policy) : {} };
}

function valueIn({ bytes }: DocumentFile): Documents['config'] {
  return valueOf(Buffer.from(bytes).toString());
}

/** What a machine runs that has these documents of its own, and follows `served` (D261, D269). */
export function effectiveDocuments(
  own: PlanDocuments,
  served: ServedConfig | undefined,
): Result<PlanDocuments, Problem[]> {
  if (!served) return { ok: true, value: own };
  const read = usable(merged(localOf(own), servedIn(served)));
  if (read.ok) return { ok: true, value: { ...own, ...heldAs(own, read.value) } };
  const message = `revision ${served.revision} of the site does not fit to the documents of the machine: ${excerpt(read.error)}`;
  const hint = `correct ${excerpt(own.sources.machine.path)} or its policy, or save other documents at the site`;
  return { ok: false, error: [{ severity: 'error', kind: 'bad-value', message, hint }] };
}

/** Documents with the unknown fields of the machine's own, also where earlier ones without these fields are used (D241). */
function heldAs(own: PlanDocuments, { machine, policy }: UsableDocuments): UsableDocuments {
  const agent = { ...machine.agent, unknownFields: own.machine.agent.unknownFields };
  return {
    machine: { ...machine, agent },
    policy: { ...policy, unknownFields: own.policy.unknownFields },
  };
}
