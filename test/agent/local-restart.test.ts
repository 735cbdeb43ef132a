import { expect, it } from 'vitest';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import { agentSite, FOR_PROGRAM } from '../support/agent-site.ts';
import { moduleId } from '../support/ask.ts';
import { byOperator } from './support/by-operator.ts';

it('[D344] a local module is restarted by an operator', async () => {
  const module_id = 'acme:own';
  const own = { type: 'local', name: 'own', module_id, executable_path: '/usr/bin/yes' };
  const site = await agentSite({ modules: [own] }, FOR_PROGRAM);
  await site.start();
  await site.until('own running local');
  const pidOf = (): number | undefined => marked(`${runIdOf(site.home)}/own/`)[0]?.pid;
  const before = pidOf();
  const target = { kind: 'module', name: 'own', moduleId: moduleId(module_id) } as const;
  const request = { requestedAt: Date.now(), isImmediate: true };
  byOperator(site, (state) => state.requestRestart(target, request));
  await site.change({});
  await site.until('own stopped local');
  await site.until('own running local');
  await site.until('done');
  expect(pidOf()).not.toBe(before);
});
