import type { ModuleId } from '../releases/module-id.ts';
import type { Artifact } from '../releases/release.ts';
import { formatTime, isWritable } from '../text/rfc3339.ts';

const TYPE = 'modreg/release@1';
/** A complete digest: another one does not say which file it is. */
export const DIGEST: RegExp = /^(?:sha256:[\da-f]{64}|sha512:[\da-f]{128})$/;
/** No space and no end of a line: they separate the parts of the text. */
const PLATFORM = /^[\w.-]+(?:\/[\w.-]+)?$/;

/** What the text of a release says. */
export interface SignedRelease {
  /** Build metadata included. */
  readonly version: string;
  readonly publishedAt?: number | undefined;
  readonly artifacts?: readonly Artifact[] | undefined;
}

/**
 * The text that the signatures of a release are over. Undefined if the release lacks a part of it: its time, or the complete
 * digest or the size of a file (D132).
 */
export function releaseText(
  moduleId: ModuleId,
  { version, publishedAt, artifacts }: SignedRelease,
): string | undefined {
  if (publishedAt === undefined || !isWritable(publishedAt)) return undefined;
  const files = artifacts?.flatMap((artifact) => fileLine(artifact) ?? []).toSorted(byText);
  if (files?.length !== artifacts?.length) return undefined;
  const lines = [TYPE, moduleId, version, formatTime(publishedAt), ...(files ?? ['no files'])];
  return `${lines.join('\n')}\n`;
}

function fileLine({ platform, digest = '', size }: Artifact): string | undefined {
  if (!PLATFORM.test(platform) || !DIGEST.test(digest)) return undefined;
  if (!Number.isSafeInteger(size) || Number(size) < 0) return undefined;
  return `${platform} ${digest} ${size}`;
}

/** By code units, as the platforms begin the lines. */
function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
