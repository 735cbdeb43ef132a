import { expect, it, onTestFinished } from 'vitest';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';

it('[T360] a state with a lower number than one of its queue is not taken, and the machine is told', async () => {
  const fleet = new FleetFile(fleetPath(`${temporaryFolder()}/registry.db`), () => NOON, {
    mode: 'create',
  });
  onTestFinished(() => fleet.close());
  const answers = [];
  for (const [number, queue] of [
    [5, 'one'],
    [5, 'one'],
    [4, 'one'],
    [6, 'one'],
    [1, 'two'],
  ] as const) {
    const state = reportedState(number, {});
    answers.push(await fleet.report('rover-7', { ...machineReport([], { state }), queue }));
  }
  const known = { kind: 'known', knownTo: 0 };
  expect(answers).toEqual([known, known, { ...known, isOlderState: true }, known, known]);
});
