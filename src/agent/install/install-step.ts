/** What an installation has reached, in this order. */
export type InstallStep =
  /** Bytes that have arrived, and those that are expected, if that is known. */
  | { readonly kind: 'downloading'; readonly bytes: number; readonly total: number | undefined }
  /** The file is complete and verified. */
  | { readonly kind: 'downloaded'; readonly bytes: number }
  /** The content can be unpacked, and begins to be. */
  | { readonly kind: 'unpacking'; readonly entries: number; readonly bytes: number }
  /** It is unpacked and can be run, and is not yet safe from a loss of power. */
  | { readonly kind: 'unpacked' }
  /** It is on the disk, and has not its name. */
  | { readonly kind: 'synced' }
  /** It has its name, which is not yet safe from a loss of power. */
  | { readonly kind: 'renamed' }
  | { readonly kind: 'installed' };
