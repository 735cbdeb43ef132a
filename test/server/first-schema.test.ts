import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCHEMA } from '../../src/server/catalogue/catalogue-schema.ts';
import { Catalogue } from '../../src/server/index.ts';
import { hashOf } from '../../src/server/tokens/token.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';

/** A catalogue of the first schema with two tokens. */
function firstCatalogue(): string {
  const path = `${temporaryFolder()}/registry.db`;
  const [first = ''] = SCHEMA.migrations;
  const layout = { ...SCHEMA, migrations: [first], oldestReader: 1 };
  const database = openDatabase(path, layout, { mode: 'create', busyTimeoutMs: 0 });
  const insert = database.prepare('INSERT INTO tokens (hash, created_at) VALUES (?, ?)');
  insert.run(hashOf('modreg_new'), 2);
  insert.run(hashOf('modreg_old'), 1);
  database.close();
  return path;
}

describe('[T71] a catalogue of the first schema', () => {
  it('keeps its tokens, which may publish and yank everything', () => {
    const path = firstCatalogue();
    const catalogue = new Catalogue(path);
    const rights = { scopes: ['publish', 'yank'], expiresAt: undefined, revokedAt: undefined };
    expect(catalogue.tokens()).toEqual([
      { id: 't1', name: 'unnamed-1', createdAt: 1, lastUsedAt: undefined, ...rights },
      { id: 't2', name: 'unnamed-2', createdAt: 2, lastUsedAt: undefined, ...rights },
    ]);
    expect(catalogue.tokenWith('modreg_old')?.id).toBe('t1');
    expect(tokenFor(catalogue)).toMatch(/^modreg_[\w-]{43}$/);
    catalogue.close();
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['registry.db', 'registry.db.schema-1']);
  });

  it('is not used by an earlier modreg any more, which would accept revoked tokens', () => {
    const path = firstCatalogue();
    const [first = ''] = SCHEMA.migrations;
    const earlier = { ...SCHEMA, migrations: [first], oldestReader: 1 };
    const running = openDatabase(path, earlier, { mode: 'write', busyTimeoutMs: 0 });
    const find = running.prepare('SELECT 1 FROM tokens WHERE hash = ?');
    new Catalogue(path).close();
    expect(() => find.get(hashOf('modreg_old'))).toThrow('no such column: hash');
    running.close();
    const open = (): unknown => openDatabase(path, earlier, { mode: 'write', busyTimeoutMs: 0 });
    expect(open).toThrow(expect.objectContaining({ kind: 'later-schema' }));
  });
});
