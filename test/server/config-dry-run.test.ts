import { expect, it } from 'vitest';
import { parseModuleId } from '../../src/core/index.ts';
import { readRelease } from '../../src/server/index.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { entry } from '../support/planned.ts';
import { APPROVER, AUTHOR, role, trustOf } from '../support/signed.ts';
import { asking } from './support/asking.ts';

const CONFIG = '/v1/machines/rover-7/config';

function saving(basedOn: number, config: string, more: object = {}): object {
  return { based_on: basedOn, config, reason: 'first', ...more };
}

/** A machine config whose module has this value in its environment. */
function withEnv(value: string): string {
  return JSON.stringify({ modules: [{ ...entry('acme:lidar', '1.*'), env: { LEVEL: value } }] });
}

it('[D455] a dry run shows values, and whether operators have to sign it', async () => {
  const { registry, as } = asking();
  const trust = trustOf([role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)]);
  registry.catalogue.trust.store(trust.text);
  const policy = '{"minimum_release_age":"2d","restart_ceiling":3}';
  await as('config', 'PUT', CONFIG, saving(0, withEnv('1'), { policy }));
  const asked = async (config: string, terms: string): Promise<readonly unknown[]> => {
    const more = { policy: terms, dry_run: true };
    const { json } = await as('config', 'PUT', CONFIG, saving(1, config, more));
    return [Object(json).changes, Object(json).signatures];
  };
  const report = async (pinned?: true): Promise<void> => {
    const state = { ...reportedState(1, {}), pinned };
    const sent = machineReport([], { state, queue: `queue-${pinned ?? 'none'}` });
    await as('machine:rover-7', 'POST', '/v1/machines/rover-7/reports', sent);
  };
  await report();
  expect(await asked(withEnv('2'), '{"minimum_release_age":"1d"}')).toEqual([
    [
      'acme_lidar/env/LEVEL "1" → "2"',
      '/policy/minimum_release_age "2d" → "1d"',
      '/policy/restart_ceiling 3 is removed',
    ],
    'The policy of this machine names no trust document, so it needs no signature.',
  ]);
  await report(true);
  const [, needed] = await asked(withEnv('1'), '{"minimum_release_age":"1d"}');
  expect(needed).toMatch(
    /^Without the signature of an operator the machine refuses this: needs-signature: \/policy\/restart_ceiling /,
  );
});

it.each([
  ['acme:lidr', ['this registry has no release of acme:lidr; did you mean acme:lidar?']],
  ['acme:arm', ['this registry has no release of acme:arm']],
  ['acme:lidar', undefined],
])('[D456] documents with %s: saved with the warnings %j', async (moduleId, warnings) => {
  const { registry, as } = asking();
  const [id, release] = [parseModuleId('acme:lidar'), readRelease({ version: '1.0.0' })];
  if (!id.ok || !release.ok) throw new Error('it is no release');
  registry.catalogue.publish(id.value, release.value, 0);
  const config = JSON.stringify({ modules: [entry(moduleId, '1.*')] });
  const dry = await as('config', 'PUT', CONFIG, saving(0, config, { dry_run: true }));
  const saved = await as('config', 'PUT', CONFIG, saving(0, config));
  expect([dry, saved].map(({ json }) => [Object(json).result, Object(json).warnings])).toEqual([
    ['would-save', warnings],
    ['saved', warnings],
  ]);
});
