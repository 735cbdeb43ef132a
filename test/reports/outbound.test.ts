import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outbound } from '../../src/reports/outbound.ts';
import { systemClock } from '../../src/registries/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { reportingMachine } from './support/reporting.ts';

it('a damaged queue is set aside, and the machine reports', async () => {
  const machine = await reportingMachine();
  const path = `${temporaryFolder()}/outbound.db`;
  writeFileSync(path, 'damaged'.repeat(1000));
  const sending = outbound(path, { ...machine.reporter, clock: systemClock });
  sending.start();
  await expect.poll(async () => await machine.counts()).toMatchObject({ machines: 1 });
  await sending.close();
  expect(machine.notices).toEqual([
    `warn "${path}": file is not a database; it is now "${path}.damaged", and a new queue of reports begins`,
  ]);
  expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('damaged'.repeat(1000));
});
