const MIB = 1024 * 1024;

/** How large the content of a package may be. */
export const LIMITS: {
  readonly [
    limit in 'unpacked' | 'frames' | 'file' | 'entries' | 'depth' | 'name' | 'path' | 'paths'
  ]: number;
} = {
  /** All content and headers, in bytes. */
  unpacked: 4096 * MIB,
  /** Frames of zstd: one for each 64 KiB of content. */
  frames: 65_536,
  /** One file, in bytes. */
  file: 2048 * MIB,
  /** Files, folders and links, those included that only occur in the name of another one. */
  entries: 50_000,
  /** Folders within each other. */
  depth: 32,
  /** The name of a file or folder, in bytes: no Linux file system allows more. */
  name: 255,
  /** The path of an entry, or the target of a link, in bytes. */
  path: 1024,
  /** All paths and targets together, in characters: they are in memory. */
  paths: 8 * MIB,
};
