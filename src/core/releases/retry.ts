/** How many edits of its entry give a release that failed another try (D82). */
export const MOST_RETRIES = 3;

/**
 * Which try the entry as it is now gives a release that failed: `failed` has the digests of the entry under which it did.
 * Undefined if it gives none, because the release failed under it as well, or was tried often enough (D82).
 */
export function retryUnder(failed: readonly string[], now: string | undefined): number | undefined {
  const isEdited = now !== undefined && failed.length > 0 && !failed.includes(now);
  return isEdited && failed.length <= MOST_RETRIES ? failed.length : undefined;
}
