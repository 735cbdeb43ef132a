import { HOSTED_PREFIX } from '../../registry/formats/hosted-artifact.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { hostedArtifacts, type PublishedRelease } from './published-release.ts';

/**
 * The size of each file that releases list and the registry hosts, by its sha256. Only releases that are new since the last
 * call are read: none is ever changed or removed.
 */
export function listedArtifacts(sql: Statements): () => ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  let read = 0;
  return () => {
    const last = Number(sql.get('SELECT coalesce(max(id), 0) AS id FROM releases')?.['id']);
    if (last === read) return sizes;
    const rows = sql.all(
      'SELECT content FROM releases WHERE id > ? AND id <= ? AND instr(content, ?) > 0',
      read,
      last,
      HOSTED_PREFIX,
    );
    for (const { content } of rows) {
      // #addRelease writes the content of a PublishedRelease.
      const release = JSON.parse(String(content)) as Pick<PublishedRelease, 'artifacts'>;
      for (const { sha256, size } of hostedArtifacts(release)) sizes.set(sha256, size);
    }
    read = last;
    return sizes;
  };
}
