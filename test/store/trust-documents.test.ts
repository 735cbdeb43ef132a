import { expect, it, onTestFinished } from 'vitest';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/folder.ts';

it('[D138] the trust documents of the last 16 pins are kept', () => {
  const file = openMachineFile(`${temporaryFolder()}/machine.db`);
  onTestFinished(() => file.close());
  const saved = savedListsIn(file);
  for (let pin = 0; pin < 18; pin++) saved.saveTrust?.(`${pin}`, `text ${pin}`);
  const kept = Array.from({ length: 18 }, (_, pin) => saved.trust?.(`${pin}`));
  expect(kept).toEqual([undefined, undefined, ...kept.slice(2)]);
  expect(kept.slice(2)).toEqual(Array.from({ length: 16 }, (_, pin) => `text ${pin + 2}`));
});
