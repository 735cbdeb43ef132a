import type { ModuleId, Release, ReleaseRecords } from '../../core/index.ts';
import {
  askedOf,
  type SignatureRefusal,
  type TrustCheck,
} from '../../core/releases/eligibility-policy.ts';
import { roleOf, type Roles } from '../../core/trust/role.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { releaseText } from '../../core/trust/release-text.ts';
import { yankText } from '../../core/trust/yank-text.ts';
import { keyIdOf, verifierOf, type Verifier } from './ed25519.ts';

/** A signature takes 0.2 ms to check: forged entries of one list cost no more than 6 ms. */
export const MOST_WRONG = 32;
/** More than a machine has modules with candidates. */
const MOST_KNOWN = 4096;

/** Whether a text has the signature of a key, as far as that was asked. */
export type Verified = (keyId: string, text: string, signature: string) => boolean;

/**
 * The checks of the releases of lists, and of their yanks, by `roles` (D133, D165). Results are cached: a round without a change verifies no signature, and a
 * list that was fetched again only those that are new in it.
 */
export function releaseChecks(
  roles: Pick<TrustDocument, 'namespaces' | 'expires'>,
): (moduleId: ModuleId, records: ReleaseRecords) => TrustCheck {
  const keys = new Set([...roles.namespaces.values()].flatMap((role) => role.keys));
  const verifiers = new Map(Array.from(keys, (key) => [keyIdOf(key), verifierOf(key)]));
  return rememberingChecks(verifiers, (moduleId, verified) => {
    const { threshold: needed = 0 } = roleOf(roles, moduleId) ?? {};
    const document = { needed, expires: roles.expires };
    return { judge: judgeOf(moduleId, roles, verified), document };
  });
}

/** Checks the signatures of keys, by their ids. */
type Verifiers = ReadonlyMap<string, Verifier>;

/** The checks of lists by the judge of each module, which verifies with `verifiers`. */
export function rememberingChecks(
  verifiers: Verifiers,
  of: (
    moduleId: ModuleId,
    verified: Verified,
  ) => {
    readonly judge: TrustCheck['check'];
    readonly document: NonNullable<TrustCheck['document']>;
  },
): (moduleId: ModuleId, records: ReleaseRecords) => TrustCheck {
  const verified = rememberingVerifier(verifiers);
  const byRecords = new WeakMap<ReleaseRecords, ReadonlyMap<ModuleId, TrustCheck>>();
  return (moduleId, records) => {
    const known = byRecords.get(records)?.get(moduleId);
    if (known) return known;
    const { judge, document } = of(moduleId, verified);
    const check = { ...checkOf(judge), document };
    byRecords.set(records, new Map([[moduleId, check]]));
    return check;
  };
}

/** Remembers verdicts, which become facts of decisions. */
function checkOf(judge: TrustCheck['check']): TrustCheck {
  const verdicts = new Map<string, SignatureRefusal | null>();
  const check: TrustCheck & { readonly toJSON: () => object } = {
    verdicts,
    check(release, what) {
      const asked = askedOf(release, what);
      const known = verdicts.get(asked);
      if (known !== undefined) return known ?? undefined;
      const found = judge(release, what);
      verdicts.set(asked, found ?? null);
      return found;
    },
    toJSON: () => ({ verdicts }),
  };
  return check;
}

function judgeOf(
  moduleId: ModuleId,
  roles: Pick<Roles, 'namespaces'>,
  verified: Verified,
): TrustCheck['check'] {
  const role = roleOf(roles, moduleId);
  const allowed = new Set(role?.keys.map(keyIdOf));
  let wrong = 0;
  return (release, what) => {
    if (!role) return { reason: 'unsigned', signed: 0, needed: 0 };
    if (release.isMerged) return badSignature('listed-twice');
    const text = textOf(moduleId, release, what);
    const { signatures = {}, yankSignatures = {} } = release;
    let bad: SignatureRefusal | undefined;
    let signed = 0;
    for (const [keyId, signature] of Object.entries(what ? yankSignatures : signatures)) {
      if (wrong >= MOST_WRONG) return badSignature('too-many');
      if (!allowed.has(keyId)) bad ??= badSignature('other-key', keyId);
      else if (text !== undefined && verified(keyId, text, signature)) {
        if (++signed >= role.threshold) return undefined;
      } else {
        wrong++;
        bad = badSignature('wrong', keyId);
      }
    }
    return bad ?? { reason: 'unsigned', signed, needed: role.threshold };
  };
}

function textOf(
  moduleId: ModuleId,
  release: Release,
  what: 'yank' | undefined,
): string | undefined {
  const version = release.version.text;
  if (!what) return releaseText(moduleId, { ...release, version });
  return release.yanked === undefined ? undefined : yankText(moduleId, version, release.yanked);
}

export function badSignature(
  found: Extract<SignatureRefusal, { readonly reason: 'bad-signature' }>['found'],
  keyId?: string,
): SignatureRefusal {
  return { reason: 'bad-signature', found, keyId };
}

function rememberingVerifier(verifiers: Verifiers): Verified {
  const known = new Map<string, boolean>();
  return (keyId, text, signature) => {
    const asked = `${keyId} ${signature} ${text}`;
    const answer = known.get(asked) ?? verifiers.get(keyId)?.(text, signature) ?? false;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(asked, answer);
    return answer;
  };
}
