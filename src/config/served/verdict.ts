import { pinIn } from '../../core/machine/update-policy.ts';
import type { Result } from '../../core/text/result.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import type { ServedConfig, ServedRefusal } from '../../core/trust/served-config.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { checkedServed, usable, valueOf, type UsableDocuments } from './checked-served.ts';
import { merged, type Documents, type ServedDocuments } from './merged.ts';
import { leastAfter, type KnownVersions, type LeastVersions } from './least-versions.ts';
import { unsignedChange, type InForce } from './unsigned-change.ts';

/** The machine that a revision is for, as far as the rules ask. */
export interface FollowingMachine {
  readonly machine: string;
  /** Its own documents. */
  readonly local: Documents;
  /** The revision that it runs; undefined if it runs its own documents. */
  readonly inForce: ServedConfig | undefined;
  /** The highest revision that it has run; 0 for none. */
  readonly highest: number;
  /** The highest one under which it did not reach its site; 0 for none. */
  readonly unreached: number;
  /** Whether it took `inForce` while its policy named no trust document. */
  readonly isUnproven: boolean;
  /** What the trust document of its policy says, if that names one. The error is why there is none that can be used. */
  readonly trust: Result<Trusted, string>;
  readonly deployed: KnownVersions['deployed'];
  /** What was deployed of modules that revisions removed. */
  readonly least: LeastVersions;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/** The trust document that the policy of a machine names. */
interface Trusted {
  readonly document: Pick<TrustDocument, 'namespaces' | 'operator' | 'expires'>;
  /** How many keys of operators signed a revision. */
  readonly signed: (served: ServedConfig) => number;
}

export interface Accepted extends UsableDocuments {
  readonly documents: Documents;
  /** What allows it: a policy without a trust document, the signatures of operators, or the limits of what needs none. */
  readonly by: 'no-pin' | 'operators' | 'limits';
  /** What to keep of what is deployed. */
  readonly least: LeastVersions;
}

type Verdict = Result<Accepted, ServedRefusal>;

/** Whether a machine runs a revision of its site: what it runs then, or why not (D260 to D263, T670). */
export function verdictOn(served: ServedConfig, on: FollowingMachine): Verdict {
  const known = knownFault(served, on);
  if (known) return { ok: false, error: known };
  const checked = checkedServed(served);
  if (!checked.ok) return checked;
  const documents = merged(on.local, checked.value);
  const next = usable(documents);
  if (!next.ok) return refused('malformed', next.error);
  const judged = allowedBy(served, { ...documents, terms: next.value.policy }, on);
  if (!judged.ok) return judged;
  const before = merged(on.local, on.inForce && servedIn(on.inForce));
  const versions = { ...on, isSigned: judged.value === 'operators' };
  const least = leastAfter(before.config, documents.config, versions);
  return { ok: true, value: { ...next.value, documents, by: judged.value, least } };
}

/** What allows a revision after which the machine runs `after`; the error is why it may not be run. */
function allowedBy(
  served: ServedConfig,
  after: InForce,
  on: FollowingMachine,
): Result<Accepted['by'], ServedRefusal> {
  const { terms, modules } = after.terms;
  const pins = [terms, ...modules.values()].flatMap((one) => pinIn(one) ?? []);
  if (pins.length === 0) return { ok: true, value: 'no-pin' };
  const pin = pinIn(terms);
  if (pin === undefined) return refused('untrusted', PARTLY);
  if (!on.trust.ok) return refused('untrusted', on.trust.error);
  const { document, signed } = on.trust.value;
  if (document.expires <= on.now) {
    return refused('untrusted', `the trust document expired at ${formatTime(document.expires)}`);
  }
  const { operator } = document;
  if (operator && signed(served) >= operator.threshold) return { ok: true, value: 'operators' };
  // What was served before the policy named the trust document allows nothing (D433).
  const before = merged(on.local, on.inForce && !on.isUnproven ? servedIn(on.inForce) : undefined);
  const read = usable(before);
  if (!read.ok) return refused('needs-signature', `${INCOMPARABLE}: ${read.error}`);
  const limits = { ...on, roles: document, pin };
  const found = unsignedChange({ ...before, terms: read.value.policy }, after, limits);
  if (!found) return { ok: true, value: 'limits' };
  const count = operator ? `it has ${signed(served)} of ${operator.threshold}` : NO_OPERATORS;
  const unproven = on.isUnproven ? `; ${UNPROVEN}` : '';
  return refused(found.code, `${found.detail} (${count}${unproven})`);
}

const INCOMPARABLE =
  'what this machine runs cannot be read, so that nothing can be compared with it';
const PARTLY =
  'the policy names a trust document for single modules only: name it for all, so that it says who signs documents';
const UNPROVEN =
  'the revision in use was taken before the policy named the trust document, so that this is compared with the documents of the machine';
const NO_OPERATORS = 'the trust document names no operator';

function refused(code: ServedRefusal['code'], detail: string): { ok: false; error: ServedRefusal } {
  return { ok: false, error: { code, detail } };
}

/** What is wrong with the machine or the number of a revision. */
function knownFault(
  served: ServedConfig,
  { machine, highest, unreached, inForce }: FollowingMachine,
): ServedRefusal | undefined {
  if (served.machine !== machine) {
    const detail = `the documents are for ${excerpt(served.machine)}, and this machine is ${machine}`;
    return { code: 'other-machine', detail };
  }
  const { revision } = served;
  if (revision < highest) {
    const detail = `it is revision ${revision}, and this machine has run revision ${highest}`;
    return { code: 'older-revision', detail };
  }
  if (revision <= unreached) {
    const detail = `the machine did not reach its site under revision ${revision}: save the documents again, under another number`;
    return { code: 'unreachable', detail };
  }
  const isOther =
    revision === inForce?.revision &&
    !(served.config === inForce.config && served.policy === inForce.policy);
  if (!isOther) return undefined;
  const detail = `revision ${revision} has other documents than those that this machine runs as revision ${revision}`;
  return { code: 'changed-revision', detail };
}

/** The documents of a revision that was accepted. */
export function servedIn({ config, policy }: ServedConfig): ServedDocuments {
  return { config: valueOf(config), policy: policy === undefined ? undefined : valueOf(policy) };
}
