import { SERVER_LIMITS, type ServerLimits } from '../server-limits.ts';
import { problem } from '../problem.ts';
import type { ExceededLimit } from '../registry-options.ts';

/** The uploads in progress. */
export interface UploadSlots {
  readonly limits: ServerLimits;
  /**
   * The result of `work`, which receives `size` bytes; it gets the number of bytes that must be free besides: what other uploads
   * announced, and as much for other tokens as several uploads of this one take. Without calling it, the response to one upload too many.
   */
  readonly within: <T>(
    upload: { readonly tokenId: string; readonly size: number; readonly peer: string | undefined },
    work: (expected: number) => Promise<T>,
  ) => Promise<T | Response>;
}

export function uploadSlots({
  limits = SERVER_LIMITS,
  refused,
}: {
  readonly limits?: ServerLimits | undefined;
  readonly refused: (limit: ExceededLimit, peer: string | undefined) => void;
}): UploadSlots {
  const open = new Set<{ readonly tokenId: string; readonly size: number }>();
  return {
    limits,
    async within(upload, work) {
      const own = [...open].filter(({ tokenId }) => tokenId === upload.tokenId);
      if (own.length >= limits.uploadsPerToken || open.size >= limits.uploads) {
        const isOwn = own.length >= limits.uploadsPerToken;
        refused(isOwn ? 'uploads-per-token' : 'uploads', upload.peer);
        return refusedUpload(isOwn, limits);
      }
      // Several uploads of a token that announce much and send nothing leave half of the disk to others (T289).
      const forOthers = own.length === 0 ? 0 : bytesOf(own) + upload.size;
      const expected = bytesOf(open) + forOthers;
      open.add(upload);
      try {
        return await work(expected);
      } finally {
        open.delete(upload);
      }
    },
  };
}

function bytesOf(uploads: Iterable<{ readonly size: number }>): number {
  let sum = 0;
  for (const { size } of uploads) sum += size;
  return sum;
}

function refusedUpload(isOwn: boolean, { retryAfter }: ServerLimits): Response {
  const headers = { 'retry-after': `${retryAfter / 1000}` };
  return isOwn
    ? problem('too-many-requests', 'the token has too many uploads', { headers })
    : problem('too-many-uploads', 'nothing was changed', { headers });
}
