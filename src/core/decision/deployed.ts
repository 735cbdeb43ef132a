import { readVersion, type Version } from '../version/version.ts';
import { readWebAddress } from '../text/web-address.ts';

/** What is known of what runs. (D14) */
export type Deployed =
  | { readonly kind: 'version'; readonly version: Version }
  /** It came from a `pin_url`, which says nothing of its version. */
  | { readonly kind: 'url'; readonly url: string }
  /** What was reported is no version. */
  | { readonly kind: 'other'; readonly text: string }
  /** It was never installed, and that is known. */
  | { readonly kind: 'none' }
  /** Nobody reported it, or what was reported is lost. */
  | { readonly kind: 'unknown' };

/** Reads what was reported to run: `null` when nothing does. What is no text reports nothing. Never throws. */
export function readDeployed(reported: unknown): Deployed {
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
