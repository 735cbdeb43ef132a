import { readRelease, releaseAsJson, type PublishedRelease } from './published-release.ts';

/** A change that could not be read again once it was written. Nothing was changed. */
export class UnreadableChange extends Error {
  override readonly name = 'UnreadableChange';
}

/** Throws an UnreadableChange if `release` could not be read again (T257): no list and no backup could contain it. */
export function expectReadable(release: PublishedRelease): void {
  const read = readRelease(JSON.parse(releaseAsJson(release)));
  if (!read.ok) throw new UnreadableChange(read.error.join('; '));
}
