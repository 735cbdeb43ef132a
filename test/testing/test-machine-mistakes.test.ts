import { expect, it } from 'vitest';
import {
  CATALOGUES,
  testMachine,
  type TestMachine,
  type TestMachineOptions,
} from '../../src/testing/index.ts';
import { MINUTE } from '../support/day.ts';

const LIDAR = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.2.*' };

function machineOf(options: object): TestMachine {
  const given = { machine: { modules: [LIDAR] }, releases: CATALOGUES.lidar };
  return testMachine({ ...given, deployed: { lidar: '1.2.3' }, ...options });
}

const BUG = new Error('a bug of the agent');

it.each<[string, TestMachineOptions['carryOut']]>([
  [
    'throws',
    () => {
      throw BUG;
    },
  ],
  ['rejects', async () => await Promise.reject(BUG)],
])('pass() rejects with the error of a carryOut that %s, once', async (_, carryOut) => {
  const machine = machineOf({ carryOut });
  await expect(machine.pass(5 * MINUTE)).rejects.toBe(BUG);
  await expect(machine.pass(MINUTE)).resolves.toEqual(expect.any(Array));
  await expect(machine.close()).resolves.toBeUndefined();
});

it('close() rejects with an error of carryOut after the last pass, and closes everything', async () => {
  const { promise, reject } = Promise.withResolvers<undefined>();
  const machine = machineOf({ carryOut: async () => await promise });
  await machine.pass(5 * MINUTE);
  reject(BUG);
  await expect(machine.close()).rejects.toBe(BUG);
  expect(() => machine.registry.publish('acme:lidar', '9.0.0')).toThrow('closed');
});

it.each<[string, object, string]>([
  [
    'a machine config without its warnings',
    { machine: { modulez: [], modules: [{ ...LIDAR, version: '1.2' }] } },
    'testMachine(): machine: /modules/0/version: "1.2" is not a version constraint',
  ],
  [
    'an unknown field of a policy',
    { policy: { maintenence: [] } },
    'testMachine(): policy: /maintenence: unknown field',
  ],
])('the error names the document: %s', (_, options, message) => {
  expect(() => machineOf(options)).toThrow(new Error(message));
});

it('the error of configure() names it, and the machine keeps its documents', async () => {
  const machine = machineOf({});
  expect(() => machine.configure({ policy: { maintenence: [] } })).toThrow(
    new Error('configure(): policy: /maintenence: unknown field'),
  );
  await machine.pass(5 * MINUTE);
  expect(machine.deployed.get('lidar')).toBe('1.2.9');
  await machine.close();
});

it.each<[unknown, string]>([
  [
    { polcy: {} },
    'found "polcy" as a name in documents, expected machine, policy; did you mean "policy" ?',
  ],
  [{ policy: '{}' }, 'found "{}" as documents.policy, expected an object or nothing'],
  [undefined, 'found nothing as documents, expected an object'],
])('[D313] configure(%j) throws', (documents, message) => {
  expect(() => machineOf({}).configure(documents as object)).toThrow(
    new TypeError(`configure(): ${message}`),
  );
});

it.each<[object, string]>([
  [
    { deployed: { lidr: '1.2.3' } },
    'found "lidr" as a name in options.deployed, expected lidar, platform-agent, platform-server; did you mean "lidar" ?',
  ],
  [
    { carryout: () => undefined },
    'found "carryout" as a name in options, expected machine, policy, releases, deployed, now, carryOut, registryFor, platform, systemTags, deployedVersion, isServerBusy, isMaintenanceAllowed, vetoes, environment, secretOf, machineId, group, intervalMs, acknowledgeWithinMs, random, onEvent; did you mean "carryOut" ?',
  ],
])('a name that does not exist: %#', (options, message) => {
  expect(() => machineOf(options)).toThrow(new TypeError(`testMachine(): ${message}`));
});
