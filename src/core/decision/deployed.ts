import { ofKind, type Expected } from '../text/argument.ts';
import { readVersion, type Version } from '../version/version.ts';
import { readWebAddress } from '../text/web-address.ts';

/**
 * The deployed version, as far as it is known: a version, the address that a `pin_url` was downloaded from, or other
 * text. `none`: it is known that nothing is deployed. `unknown`: nothing was reported.
 */
export type Deployed =
  | {
      readonly kind: 'version';
      /** As reported. */
      readonly version: Version;
    }
  | {
      readonly kind: 'url';
      /** The address. Its version is not known. */
      readonly url: string;
    }
  | {
      readonly kind: 'other';
      /** The reported text, which is not a version. */
      readonly text: string;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/** What a program that no compiler checked must pass. */
export const DEPLOYED: Expected = ofKind('a Deployed of readDeployed()');

/**
 * Reads a reported version: text, or `null` if nothing is deployed. Anything else is `unknown`. Never throws.
 *
 * @example
 * ```ts
 * import { readDeployed } from 'modreg';
 *
 * console.log(readDeployed('1.2.3').kind); // version
 * console.log(readDeployed(null).kind); // none
 * console.log(readDeployed(undefined).kind); // unknown
 * ```
 */
export function readDeployed(reported: unknown): Deployed {
  // A version that was not reported is unknown; only null means that nothing is deployed (D14).
  if (reported === null) return { kind: 'none' };
  if (typeof reported !== 'string') return { kind: 'unknown' };
  const version = readVersion(reported);
  if ('text' in version) return { kind: 'version', version };
  return readWebAddress(reported).ok
    ? { kind: 'url', url: reported }
    : { kind: 'other', text: reported };
}

/** The deployed version; undefined if it is not known, or the reported text is not a version. */
export function deployedVersion(deployed: Deployed): Version | undefined {
  return deployed.kind === 'version' ? deployed.version : undefined;
}

/** The deployed version as reported; undefined if nothing is deployed or it is not known. */
export function deployedText(deployed: Deployed): string | undefined {
  switch (deployed.kind) {
    case 'version':
      return deployed.version.text;
    case 'url':
      return deployed.url;
    case 'other':
      return deployed.text;
    case 'none':
    case 'unknown':
      return undefined;
  }
}

/** A module has no `pin_url`, so a deployed address is text that is not a version (D14). */
export function withUrlAsText<State extends object>(
  state: State & { readonly deployed: Deployed },
): State & { readonly deployed: Deployed } {
  const { deployed } = state;
  if (deployed.kind !== 'url') return state;
  return { ...state, deployed: { kind: 'other', text: deployed.url } };
}
