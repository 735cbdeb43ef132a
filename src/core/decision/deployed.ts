import { readVersion, type Version } from '../version/version.ts';
import { readWebAddress } from '../text/web-address.ts';

/**
 * What is known of the deployed version: a version, an address that a `pin_url` was downloaded from, other text, `none`
 * where it is known that nothing is deployed, and `unknown` where nothing was reported.
 */
export type Deployed =
  | {
      readonly kind: 'version';
      /** As reported. */
      readonly version: Version;
    }
  | {
      readonly kind: 'url';
      /** An address, which says nothing of the version. */
      readonly url: string;
    }
  | {
      readonly kind: 'other';
      /** What was reported, and is no version. */
      readonly text: string;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/**
 * Reads a report of what is deployed: a text, or `null` where nothing is. Anything else reports nothing and is
 * `unknown`. Never throws.
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
  // Not reported is not the same as not deployed. (D14)
  if (reported === null) return { kind: 'none' };
  if (typeof reported !== 'string') return { kind: 'unknown' };
  const version = readVersion(reported);
  if ('text' in version) return { kind: 'version', version };
  return readWebAddress(reported).ok
    ? { kind: 'url', url: reported }
    : { kind: 'other', text: reported };
}

/** What runs, as it was reported; undefined where nothing does, or nobody knows. */
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
