import { expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';

const READER = ['fleet:read', 'logs:read', 'config', 'commands', 'outcomes:acme'];

/** A registry with acme:lidar, to which rover-1 of a group has reported, and what its commands print. */
async function registry(
  scopes: readonly string[] = READER,
  groups: readonly string[] = ['canary'],
): Promise<(...args: readonly string[]) => Promise<readonly string[]>> {
  const { address, catalogue } = await loopbackRegistry();
  const release = readRelease({ version: '1.2.3' });
  for (const id of ['acme:lidar', 'acme:arm'])
    if (release.ok) catalogue.publish(moduleId(id), release.value, 0);
  const module = { name: 'acme_lidar', module_id: 'acme:lidar', deployed: '1.2.3' };
  const [group] = groups;
  const report = machineReport([], {
    state: { ...reportedState(1, module), ...(group && { group }) },
  });
  const scoped = ['machine:rover-1', ...groups.map((one) => `group:${one}`)];
  const token = tokenFor(catalogue, scoped, 'rover-1');
  const sent = await fetch(`${address}/v1/machines/rover-1/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(report),
  });
  expect(await sent.text()).toContain('known_to');
  const environment = { MODREG_TOKEN: tokenFor(catalogue, scopes, 'reader') };
  return async (...args) => {
    const { stdout, stderr } = await printed([...args, '--registry', address], { environment });
    return [...stdout, ...stderr];
  };
}

const MACHINE = [
  'warning[UNKNOWN_REFERENCE]: no machine has reported as "rover-2"',
  '  did you mean rover-1 ?',
  'hint: machines here: rover-1',
];
const MODULE = [
  'warning[UNKNOWN_REFERENCE]: no machine has reported "acme:lidra", and it is not published here',
  '  did you mean acme:lidar ?',
  'hint: modules here: acme:arm, acme:lidar',
];

it.each<[string, readonly string[]]>([
  ['fleet logs --machine rover-2', ['the registry has no line of rover-2', ...MACHINE]],
  [
    'fleet logs acme_lidra',
    [
      'the registry has no such line of any machine',
      'warning[UNKNOWN_REFERENCE]: no machine has a module entry "acme_lidra"',
      '  did you mean acme_lidar ?',
      'hint: entries here: acme_lidar',
    ],
  ],
  ['fleet commands --machine rover-2', ['no command was given', ...MACHINE]],
  ['fleet config history --machine rover-2', ['nothing was saved', ...MACHINE]],
  ['fleet config secret list --machine rover-2', ['the documents name no secret', ...MACHINE]],
  [
    'fleet machines --group canery',
    [
      'no machine matches',
      'warning[UNKNOWN_REFERENCE]: no machine has reported the group "canery"',
      '  did you mean canary ?',
      'hint: groups here: canary',
    ],
  ],
  ['fleet machines --module acme:lidra', ['no machine matches', ...MODULE]],
  ['fleet failures acme:lidra', ['nothing failed in 24h, and nothing is tried again', ...MODULE]],
  [
    'fleet failures --namespace acne',
    [
      'nothing failed in 24h, and nothing is tried again',
      'warning[UNKNOWN_REFERENCE]: no module of "acne" is reported or published here',
      '  did you mean acme ?',
      'hint: namespaces here: acme',
    ],
  ],
  ['rollout status acme:lidra', ['no release of acme:lidra is or was in a rollout', ...MODULE]],
  [
    'fleet what-if acme:lidra 1.0.0',
    ['acme:lidra 1.0.0 (not published): 0 of 0 machines would get it', ...MODULE],
  ],
  [
    'registry list acne',
    [
      'no modules in the namespace acne',
      'warning[UNKNOWN_REFERENCE]: this registry has no namespace "acne"',
      '  did you mean acme ?',
      'hint: namespaces here: acme',
    ],
  ],
])('[D486] `modreg %s` says that the name is unknown, and the nearest one', async (line, said) => {
  const run = await registry();
  expect(await run(...line.split(' '))).toEqual(said);
});

it.each([
  ['fleet logs --machine rover-1', ['the registry has no line of rover-1']],
  ['fleet commands --machine rover-1', ['no command was given']],
  ['fleet failures acme:lidar', ['nothing failed in 24h, and nothing is tried again']],
  ['fleet machines --group canary --silent', ['no machine matches']],
  ['rollout status', ['no release is or was in a rollout']],
])('[D486] `modreg %s` says nothing of names that the registry knows', async (line, said) => {
  const run = await registry();
  expect(await run(...line.split(' '))).toEqual(said);
});

it('[D486] where machines have reported no group, the hint says so', async () => {
  const run = await registry(READER, []);
  expect(await run('fleet', 'machines', '--group', 'canary')).toEqual([
    'no machine matches',
    'warning[UNKNOWN_REFERENCE]: no machine has reported the group "canary"',
    'hint: no machine has reported a group',
  ]);
});

it('[D486] who may not read what machines reported learns no names', async () => {
  const run = await registry(['logs:read']);
  expect(await run('fleet', 'logs', '--machine', 'rover-2')).toEqual([
    'the registry has no line of rover-2',
  ]);
});

it('[D486] a module that is published and that no machine has reported is known', async () => {
  const run = await registry();
  const said = await run('fleet', 'failures', 'acme:arm');
  expect(said).toEqual(['nothing failed in 24h, and nothing is tried again']);
});

it('[D486] a machine that is retired is known', async () => {
  const run = await registry([...READER, 'rollout']);
  const [retired] = await run('fleet', 'retire', 'rover-1');
  expect(retired).toMatch(/^rover-1 is retired since /);
  expect(await run('fleet', 'commands', '--machine', 'rover-1')).toEqual(['no command was given']);
});
