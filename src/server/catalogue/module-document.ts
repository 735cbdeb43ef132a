import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import type { ModuleId } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';

/** The release list of a module as the registry serves it. */
export interface ModuleDocument {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The strong entity tag of `bytes`, with its quotation marks. */
  readonly etag: string;
  /** The SHA-256 of `bytes`, in hexadecimal. */
  readonly sha256: string;
  /** The number of releases. */
  readonly count: number;
}

/** A release as the catalogue stores it. */
export interface StoredRelease {
  readonly version: string;
  readonly publishedAt: number;
  /** A JSON object with the fields that the author published. */
  readonly content: string;
  readonly yanked: string | null;
  readonly hasNotes: boolean;
  /** Which machines may install it; undefined: all. */
  readonly rollout: object | undefined;
}

/** The document of a module. Its entity tag is a digest of its bytes. */
export function makeDocument(
  moduleId: ModuleId,
  generation: number,
  releases: readonly StoredRelease[],
): ModuleDocument {
  const head = JSON.stringify({ module_id: moduleId, generation, count: releases.length });
  const list = releases.map(releaseAsJson).join(',');
  const bytes = Buffer.from(`${head.slice(0, -1)},"releases":[${list}]}\n`);
  const digest = createHash('sha256').update(bytes).digest();
  const etag = `"${digest.toString('base64url').slice(0, 22)}"`;
  return { bytes, etag, sha256: digest.toString('hex'), count: releases.length };
}

function releaseAsJson(release: StoredRelease): string {
  const { version, publishedAt, content, yanked, hasNotes, rollout } = release;
  const notes = hasNotes || undefined;
  const head = JSON.stringify({ version, published_at: formatTime(publishedAt) });
  // Joins three JSON objects, none of which is empty.
  return `${head.slice(0, -1)},${content.slice(1, -1)},${JSON.stringify({ yanked, notes, rollout }).slice(1)}`;
}

/** In bytes. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** The documents that were served last, with the generation of their modules. */
export function documentCache(): LRUCache<
  string,
  ModuleDocument & { readonly generation: number }
> {
  return new LRUCache({ maxSize: CACHE_BYTES, sizeCalculation: ({ bytes }) => bytes.length });
}
