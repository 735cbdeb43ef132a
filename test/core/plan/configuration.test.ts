import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/config/index.ts';
import { readDeployed } from '../../../src/core/index.ts';
import { neededLists } from '../../../src/core/plan/configuration.ts';
import { keyOf } from '../../../src/core/plan/target.ts';
import { entry, machineQuestion } from '../../support/planned.ts';

const LOCAL = { type: 'local', name: 'own', module_id: 'acme:own', executable_path: '/x' };
const MODULES = [entry('acme:lidar', '1.*', 'lidar'), LOCAL];

/** The lists that a machine needs, whose reported subsystems are `known`. */
function needed(agent: object, ...known: readonly string[]): string[] {
  const { machine } = machineQuestion({ modules: MODULES, agent }, {});
  const own = { ...DEFAULT_POLICY.terms, restartCeiling: 1 };
  const policy = { ...DEFAULT_POLICY, modules: new Map([['platform-server', own]]) };
  const lists = neededLists({ machine, policy }, (target) => {
    return { deployed: readDeployed(known.includes(keyOf(target)) ? '1.0.0' : undefined) };
  });
  return lists.map(({ of, moduleId, terms }) => {
    return `${keyOf(of)}: ${moduleId}${terms === own ? ', own terms' : ''}`;
  });
}

const AGENT = 'subsystem platform-agent';
const SERVER = 'subsystem platform-server';
const OF_SERVER = 'subsystem platform-server: platform:server, own terms';

describe('the release lists that decisions need', () => {
  it.each<[string, object, readonly string[], readonly string[]]>([
    ['of modules from a registry', {}, [], ['module lidar: acme:lidar']],
    [
      'of subsystems whose deployed version is known',
      {},
      [SERVER],
      ['module lidar: acme:lidar', OF_SERVER],
    ],
    [
      'of all subsystems',
      {},
      [AGENT, SERVER],
      ['module lidar: acme:lidar', 'subsystem platform-agent: platform:agent', OF_SERVER],
    ],
    [
      'not of a subsystem from an address',
      { 'platform-server': { pin_url: 'https://b.example/x' } },
      [SERVER],
      ['module lidar: acme:lidar'],
    ],
    [
      'of no module if the server is disabled',
      { 'platform-server': { disable_subsystem: true } },
      [AGENT, SERVER],
      ['subsystem platform-agent: platform:agent'],
    ],
  ])('%s', (_, agent, known, expected) => {
    expect(needed(agent, ...known)).toEqual(expected);
  });
});
