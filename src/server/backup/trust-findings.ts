import type { ModuleId } from '../../core/index.ts';
import { releaseText } from '../../core/trust/release-text.ts';
import { roleOf } from '../../core/trust/role.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { yankText } from '../../core/trust/yank-text.ts';
import { keyIdOf, verifierOf } from '../../registry/trust/ed25519.ts';
import { signedDocument, successorFault } from '../../registry/trust/pinned-document.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { PublishedRelease } from '../catalogue/published-release.ts';

/** The trust documents of a catalogue that machines can follow, and what is wrong with one (D170). */
export interface TrustChain {
  readonly newest: TrustDocument | undefined;
  /** Undefined if nothing is. */
  readonly finding: string | undefined;
}

export function trustChain(sql: Statements): TrustChain {
  let newest: TrustDocument | undefined;
  const rows = sql.all('SELECT version, document FROM trust_documents ORDER BY version');
  for (const { version, document } of rows) {
    const read = signedDocument(String(document));
    const fault = read.ok ? faultAfter(newest, read.value) : read.error;
    if (!read.ok || fault !== undefined) {
      return { newest, finding: `version ${String(version)} of the trust document ${fault}` };
    }
    newest = read.value;
  }
  return { newest, finding: undefined };
}

function faultAfter(last: TrustDocument | undefined, next: TrustDocument): string | undefined {
  if (last) return successorFault(last, next);
  return next.version === 1 ? undefined : 'follows none';
}

/** The signatures of a release, and of its yank, that are wrong. What another key signed was right once (D170). */
export function signatureFindings(
  { newest }: TrustChain,
  moduleId: ModuleId,
  release: PublishedRelease,
): string[] {
  const { version, yanked, signatures = {}, yankSignatures = {} } = release;
  const keys = (newest && roleOf(newest, moduleId)?.keys) ?? [];
  const wrong = (what: string, text: string | undefined, all: typeof signatures): string[] =>
    keys.flatMap((key) => {
      const { [keyIdOf(key)]: signature } = all;
      if (signature === undefined) return [];
      const isRight = text !== undefined && verifierOf(key)(text, signature);
      return isRight ? [] : [`${version}: the signature of key ${keyIdOf(key)} is not of ${what}`];
    });
  const ofYank = yanked === undefined ? undefined : yankText(moduleId, version, yanked);
  return [
    ...wrong('this release', releaseText(moduleId, release), signatures),
    ...wrong('its yank', ofYank, yankSignatures),
  ];
}
