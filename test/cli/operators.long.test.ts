import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { withAgentRegistry } from '../faults/agent-registry.ts';
import { operatorsScene, reportIn } from '../faults/operators-scene.ts';
import { runTraced } from '../faults/run-traced.ts';

it('[T114] a poller and the commands of operators, some of which are killed, write one file', async () => {
  // `npm run faults -- --in operators` plays more, with calls that fail.
  const folder = mkdtempSync(`${tmpdir()}/modreg-operators-`);
  await withAgentRegistry(async (address) => {
    const scene = operatorsScene(address);
    await scene.prepare(folder);
    const ended = await runTraced(scene.command(folder), undefined);
    expect(await scene.judge(folder, ended)).toEqual([]);
  });
  expect(reportIn(folder).counts.done).toBeGreaterThan(0);
  rmSync(folder, { recursive: true });
});
