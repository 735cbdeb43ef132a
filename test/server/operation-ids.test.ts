import { expect, it } from 'vitest';
import { OPENAPI } from '../../src/server/routes/openapi.ts';
import { operationIds, undescribed } from '../support/operation-ids.ts';

it('[D318] each operation of the registry has a name of its own', () => {
  const ids = operationIds(OPENAPI);
  expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  expect([ids.length, new Set(ids).size]).toEqual([48, 48]);
});

it('[D350] each component of the document is described', () => {
  expect(undescribed(OPENAPI)).toEqual([]);
});
