import type { ConfigTexts } from '../../config/served/compiled.ts';
import type { FollowingMachine } from '../../config/served/verdict.ts';
import { parseVersion } from '../../core/index.ts';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { StoredRevision } from '../configs/config-table.ts';
import { machineDetail, type MachineDetail } from './machine-detail.ts';
import type { ReadableCatalogue } from '../catalogue/readable-catalogue.ts';
import type { FleetFile } from './fleet-file.ts';

/** What a person should know of signatures before a revision is saved, by what the machine reported (D417, D455). */
export interface SignatureNeed {
  readonly kind: 'no-pin' | 'not-needed' | 'needed' | 'unknown';
  readonly words: string;
}

/** What it depends on. */
interface Known {
  readonly catalogue: Pick<ReadableCatalogue, 'trust' | 'configs'>;
  readonly fleet: Pick<FleetFile, 'read'>;
  readonly now: number;
}

/** The same rule that the machine applies, with the trust document of this registry in place of the one that it follows. */
export async function signatureNeed(
  { catalogue, fleet, now }: Known,
  newest: StoredRevision | undefined,
  next: ConfigTexts & { readonly machine: string },
): Promise<SignatureNeed> {
  const { machine } = next;
  const detail = fleet.read((sql) => machineDetail(sql, machine, now));
  if (detail && !detail.isPinned) {
    const words = 'The policy of this machine names no trust document, so it needs no signature.';
    return { kind: 'no-pin', words };
  }
  // What is compared is what the machine runs, which is not known of its own documents.
  if (!newest) return { kind: 'unknown', words: UNKNOWN };
  const { revision } = newest;
  const text = catalogue.trust.newest();
  const document = text === undefined ? undefined : readTrustDocument(text);
  const applied = catalogue.configs.answer(machine)?.applied;
  const isOther = applied !== undefined && applied !== revision;
  if (!detail || !document?.ok || isOther) return { kind: 'unknown', words: UNKNOWN };
  // Reading documents loads much, and few registries have any.
  const { verdictOn } = await import('../../config/served/verdict.ts');
  const verdict = verdictOn(
    { ...next, revision: revision + 1, signatures: {} },
    {
      ...runningNewest(newest, detail),
      trust: { ok: true, value: { document: document.value, signed: () => 0 } },
      now,
    },
  );
  if (verdict.ok) return { kind: 'not-needed', words: NOT_NEEDED };
  const { code, detail: why } = verdict.error;
  const sign = `After saving, an operator signs it with modreg fleet config sign --machine ${excerpt(machine)} --key operator.key`;
  const how = document.value.operator ? sign : 'Change it on the machine instead';
  const words = `Without the signature of an operator the machine refuses this: ${code}: ${excerpt(why, 400)}. ${how}.`;
  return { kind: 'needed', words };
}

/** The machine, as if it ran the newest revision, and had taken it under its trust document. */
function runningNewest(
  newest: StoredRevision,
  { modules }: MachineDetail,
): Omit<FollowingMachine, 'trust' | 'now'> {
  const deployed = new Map(modules.map((one) => [one.name, one.deployed]));
  return {
    machine: newest.machine,
    local: { config: { modules: [] }, policy: { trust: ANY_PIN } },
    inForce: newest,
    highest: newest.revision,
    unreached: 0,
    isUnproven: false,
    deployed: (name) => {
      const version = parseVersion(deployed.get(name));
      return version.ok ? version.value : undefined;
    },
    least: {},
  };
}

/** Which document the machine names is not reported. */
const ANY_PIN = `sha256:${'0'.repeat(64)}`;

const NOT_NEEDED =
  'The policy of this machine names a trust document. Compared with what is served now, this change needs no signature; the own terms of the machine may be stricter.';
const UNKNOWN =
  'It is not known whether this machine needs the signature of an operator: its page says so after it has read the revision.';
