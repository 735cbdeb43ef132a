import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/folder.ts';

it('[T111] an empty file is marked before it exists: without a mark it is not created', () => {
  const folder = temporaryFolder();
  // With what the mark adds, the name is too long for the system.
  const path = `${folder}/${'m'.repeat(250)}`;
  expect(() => openMachineFile(path)).toThrow('ENAMETOOLONG');
  expect(readdirSync(folder)).toEqual([]);
});
