import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Outbound } from '../../src/reports/outbound.ts';
import { systemClock } from '../../src/registries/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { reportingMachine } from './support/reporting.ts';

it('a damaged queue is set aside, and the machine reports', async () => {
  const machine = await reportingMachine();
  const path = `${temporaryFolder()}/outbound.db`;
  writeFileSync(path, 'damaged'.repeat(1000));
  const outbound = new Outbound(path, { ...machine.reporter, clock: systemClock });
  outbound.start();
  await expect.poll(async () => await machine.counts()).toMatchObject({ machines: 1 });
  await outbound.close();
  expect(machine.notices).toEqual([
    `warn "${path}": file is not a database; it is now "${path}.damaged", and a new queue of reports begins`,
  ]);
  expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('damaged'.repeat(1000));
});
