import { expect, it } from 'vitest';
import { reportingMachine } from './support/reporting.ts';

it('[D108] reports the group of the machine, and its change', async () => {
  const sent: (string | undefined)[] = [];
  const machine = await reportingMachine({
    through: (client) => ({
      report: async (id, report, signal) => {
        if (report.state) sent.push(report.state.group);
        return await client.report(id, report, signal);
      },
    }),
  });
  let group: string | undefined = 'canary';
  Object.assign(machine.reporter, { group: () => group });
  await machine.send();
  await machine.send();
  expect(sent).toEqual(['canary']);
  group = 'lab';
  await machine.send();
  expect(sent).toEqual(['canary', 'lab']);
  expect((await machine.counts())['groups']).toEqual([
    { group: 'lab', machines: 1, seen_in_24h: 1 },
  ]);
  group = undefined;
  await machine.send();
  expect((await machine.counts())['groups']).toEqual([]);
});

it('[D177] reports that its policy names a trust document, and nothing if not', async () => {
  const sent: object[] = [];
  const machine = await reportingMachine({
    through: (client) => ({
      report: async (id, report, signal) => {
        if (report.state) sent.push(JSON.parse(JSON.stringify(report.state)));
        return await client.report(id, report, signal);
      },
    }),
  });
  let isPinned = false;
  Object.assign(machine.reporter, { isPinned: () => isPinned });
  await machine.send();
  expect((await machine.counts())['without_pin']).toBe(1);
  isPinned = true;
  await machine.send();
  await machine.send();
  expect(sent.map((state) => Object.entries(state).filter(([name]) => name === 'pinned'))).toEqual([
    [],
    [['pinned', true]],
  ]);
  expect((await machine.counts())['without_pin']).toBe(0);
});
