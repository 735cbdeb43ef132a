import { expect, it } from 'vitest';
import { PAGE_OPENAPI } from '../../src/page/openapi.ts';
import { operationIds, undescribed } from '../support/operation-ids.ts';

it('[D318] each operation of the page of a machine has a name of its own', () => {
  const ids = operationIds(PAGE_OPENAPI);
  expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  expect([ids.length, new Set(ids).size]).toEqual([24, 24]);
});

it('[D350] each component of the document is described', () => {
  expect(undescribed(PAGE_OPENAPI)).toEqual([]);
});
