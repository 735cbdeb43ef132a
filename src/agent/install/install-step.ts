/** What an installation has reached, in this order. */
export type InstallStep =
  | {
      readonly kind: 'downloading';
      /** How many bytes are there. */
      readonly bytes: number;
      /** How many are expected; undefined if nothing says it. */
      readonly total: number | undefined;
    }
  | {
      /** The file is complete and verified. */
      readonly kind: 'downloaded';
      /** Its size. */
      readonly bytes: number;
    }
  | {
      /** The content can be unpacked, and begins to be. */
      readonly kind: 'unpacking';
      /** How many files, folders and links it has. */
      readonly entries: number;
      /** How many bytes they have together. */
      readonly bytes: number;
    }
  /** It is unpacked and can be run, and is not yet safe from a loss of power. */
  | { readonly kind: 'unpacked' }
  /** It is on the disk, and has not its name. */
  | { readonly kind: 'synced' }
  /** It has its name, which is not yet safe from a loss of power. */
  | { readonly kind: 'renamed' }
  | {
      readonly kind: 'installed';
      /** The fields of its `meta.json` that modreg does not read. */
      readonly ignored: readonly string[];
    };
