import { HOSTED_PREFIX } from '../../registry/formats/hosted-artifact.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { unlessDamaged } from '../../sqlite/stored-value.ts';
import { artifactsIn } from './module-row.ts';
import { hostedArtifacts } from './published-release.ts';

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
      'SELECT id, content FROM releases WHERE id > ? AND id <= ? AND instr(content, ?) > 0',
      read,
      last,
      HOSTED_PREFIX,
    );
    for (const row of rows) {
      // A damaged release does not withhold the files of the others (T320). Its list and its check name it.
      const artifacts = unlessDamaged(() => artifactsIn(sql, row));
      if (!artifacts.ok) continue;
      for (const { sha256, size } of hostedArtifacts(artifacts.value)) sizes.set(sha256, size);
    }
    read = last;
    return sizes;
  };
}
