import { expect, it } from 'vitest';
import { PAGE_OPENAPI } from '../../src/page/openapi.ts';
import { OPENAPI } from '../../src/server/routes/openapi.ts';

type Operation = { readonly operationId?: unknown };

/** The name of each operation; its method and path if it has none. */
function operationIds(document: object): string[] {
  const { paths } = document as { readonly paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) =>
      typeof operationId === 'string' ? operationId : `${method} ${path}`,
    ),
  );
}

it.each([
  ['the registry', OPENAPI, 36],
  ['the page of a machine', PAGE_OPENAPI, 24],
])('[D318] each operation of %s has a name of its own', (_of, document, count) => {
  const ids = operationIds(document);
  expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  expect([ids.length, new Set(ids).size]).toEqual([count, count]);
});
