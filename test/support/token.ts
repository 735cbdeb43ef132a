import type { Catalogue } from '../../src/server/index.ts';

/** Creates a token that may publish and yank, or do what `scopes` say. */
export function tokenFor(
  catalogue: Catalogue,
  scopes: readonly string[] = ['publish', 'yank'],
  name = 'test',
): string {
  const created = catalogue.createToken({ name, scopes }, 0);
  if (!created.ok) throw new Error(created.error);
  return created.value.token;
}
