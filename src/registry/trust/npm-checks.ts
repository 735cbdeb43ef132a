import type { Artifact, ModuleId, Release } from '../../core/index.ts';
import type { SignatureRefusal, TrustCheck } from '../../core/releases/eligibility-policy.ts';
import type { NpmKey } from '../../core/machine/update-policy.ts';
import { verifierIn } from './ed25519.ts';
import { npmText } from './npm-text.ts';
import { badSignature, MOST_WRONG, rememberingChecks, type Verified } from './release-checks.ts';

const MISSING: SignatureRefusal = { reason: 'unsigned', signed: 0, needed: 1, of: 'npm' };

/** The checks of the releases of an npm registry: one of `keys` has to have signed each (D200). */
export function npmChecks(keys: readonly NpmKey[]): ReturnType<typeof rememberingChecks> {
  const byId = new Map(keys.map((one) => [one.keyid, one]));
  const verifiers = new Map(
    keys.map(({ keyid, key }) => [keyid, verifierIn(Buffer.from(key, 'base64'), 'sha256')]),
  );
  const document = { needed: 1, expires: Infinity };
  return rememberingChecks(verifiers, (moduleId, verified) => {
    return { judge: judgeOf(moduleId, byId, verified), document };
  });
}

function judgeOf(
  moduleId: ModuleId,
  byId: ReadonlyMap<string, NpmKey>,
  verified: Verified,
): TrustCheck['check'] {
  let wrong = 0;
  const faultOf = (
    { digest, signatures = [] }: Artifact,
    release: Release,
  ): SignatureRefusal | undefined => {
    const text = npmText(moduleId, release.version.text, digest);
    let bad: SignatureRefusal | undefined;
    for (const { keyid, sig } of signatures) {
      if (wrong >= MOST_WRONG) return badSignature('too-many');
      const key = byId.get(keyid);
      if (!key) bad ??= badSignature('unknown-key', keyid);
      else if (!isOfItsTime(key, release)) bad = badSignature('expired-key', keyid);
      else if (text !== undefined && verified(keyid, text, sig)) return undefined;
      else {
        wrong++;
        bad = badSignature('wrong', keyid);
      }
    }
    return bad ?? MISSING;
  };
  return (release, what) => {
    // npm signs no yanks.
    if (what) return MISSING;
    if (release.isMerged) return badSignature('listed-twice');
    const files = filesOf(release);
    if (files.length === 0) return MISSING;
    return files.map((file) => faultOf(file, release)).find((fault) => fault !== undefined);
  };
}

/** The files of a release. One file for several platforms is checked once. */
function filesOf({ artifacts = [] }: Release): readonly Artifact[] {
  return [
    ...new Map(
      artifacts.map((one) => [JSON.stringify([one.digest, one.signatures]), one]),
    ).values(),
  ];
}

/** Whether the key had not expired when the release was published. What it signed before stays valid (D202). */
function isOfItsTime({ expires }: NpmKey, { publishedAt }: Release): boolean {
  return expires === undefined || (publishedAt !== undefined && publishedAt < expires);
}
