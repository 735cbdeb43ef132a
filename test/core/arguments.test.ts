import { describe, expect, it } from 'vitest';
import * as board from '../../src/board/index.ts';
import * as config from '../../src/config/index.ts';
import * as core from '../../src/core/index.ts';
import * as poller from '../../src/poller/index.ts';
import * as registry from '../../src/registries/index.ts';
import * as server from '../../src/server/index.ts';
import * as store from '../../src/store/index.ts';
import * as testing from '../../src/testing/index.ts';
import { moduleId } from '../support/ask.ts';
import { EMPTY_PLAN } from './support/empty-plan.ts';
import { ACCEPT_ANYTHING, VERSION, WRONG_ARGUMENTS } from './support/wrong-arguments.ts';
import { WRONG_BOARD_ARGUMENTS } from './support/wrong-board-arguments.ts';
import { WRONG_LIST_ARGUMENTS } from './support/wrong-list-arguments.ts';
import { WRONG_TESTING_ARGUMENTS } from './support/wrong-testing-arguments.ts';

/** What JavaScript callers can call, with arguments that no compiler checks. */
const EXPORTS: Readonly<Record<string, unknown>> = {
  ...core,
  ...config,
  ...board,
  ...registry,
  ...store,
  ...poller,
  ...server,
  ...testing,
};

/** Calls an exported function, or constructs an exported class. */
async function call(name: string, args: readonly unknown[]): Promise<unknown> {
  const callable = EXPORTS[name] as ((...args: readonly unknown[]) => unknown) &
    (new (...args: readonly unknown[]) => unknown);
  return /^[A-Z]/.test(name) ? new callable(...args) : await callable(...args);
}

const WRONG = {
  ...WRONG_ARGUMENTS,
  ...WRONG_BOARD_ARGUMENTS,
  ...WRONG_LIST_ARGUMENTS,
  ...WRONG_TESTING_ARGUMENTS,
};
const ROWS = Object.entries(WRONG).flatMap(([name, rows]) =>
  rows.map(([args, message]) => [name, message, args] as const),
);

it('every exported function and class has a row', () => {
  const callables = Object.keys(EXPORTS).filter((name) => typeof EXPORTS[name] === 'function');
  const listed = [...Object.keys(WRONG), ...Object.keys(ACCEPT_ANYTHING)];
  expect(listed.toSorted()).toEqual(callables.toSorted());
});

it.each(ROWS)('%s: %s', async (name, message, args) => {
  const callee = /^[A-Z]/.test(name) ? `new ${name}()` : `${name}()`;
  const error = expect.objectContaining({ name: 'TypeError', message: `${callee}: ${message}` });
  await expect(call(name, args)).rejects.toEqual(error);
});

it.each(Object.entries(ACCEPT_ANYTHING))('%s accepts any value', async (name, result) => {
  for (const value of [undefined, null, 5, {}, []]) {
    if (name === 'readDeployed' && value === null) continue;
    expect(await call(name, [value])).toMatchObject(Object(result));
  }
});

describe('planMachine()', () => {
  const machine = config.readMachine(
    '{"modules": [{"type": "registry", "name": "cam", "module_id": "acme:cam", "version": "1.*"}]}',
  );
  const list = { index: core.indexReleases(['1.0.0']) };
  it.each<[string, object, string]>([
    ['modules', new Map([['cam', { list, deployed: '1.1.0' }]]), '"1.1.0" as deployed of "cam"'],
    [
      'modules',
      new Map([['cam', { list, deployed: core.parseVersion('1.1.0') }]]),
      'a Result as deployed of "cam"',
    ],
    ['modules', new Map([['cam', { list, deployed: VERSION }]]), 'an object as deployed of "cam"'],
    [
      'subsystems',
      new Map([['platform-agent', { list, deployed: undefined }]]),
      'nothing as deployed of "platform-agent"',
    ],
  ])('takes no other deployed version in %s than a Deployed: %#', (map, states, found) => {
    if (!machine.ok) throw new Error('the machine of the test cannot be read');
    const input = { ...EMPTY_PLAN, machine: machine.value, [map]: states };
    const message = `planMachine(): found ${found}, expected a Deployed of readDeployed()`;
    expect(() => core.planMachine(input)).toThrow(new TypeError(message));
  });

  it.each<[object, string]>([
    [{ machine: '{}' }, '"{}" as input.machine, expected the value of readMachine()'],
    [{ machine }, 'a Result as input.machine, expected the value of readMachine()'],
    [{ policy: undefined }, 'nothing as input.policy, expected the value of readUpdatePolicy()'],
    [
      { policy: config.readUpdatePolicy('{}') },
      'a Result as input.policy, expected the value of readUpdatePolicy()',
    ],
  ])('takes no other documents than those that were read: %#', (wrong, found) => {
    const right = { machine: machine.ok && machine.value, policy: config.DEFAULT_POLICY };
    const input: unknown = { ...right, ...wrong };
    expect(() => core.planMachine(input as never)).toThrow(
      new TypeError(`planMachine(): found ${found}`),
    );
  });
});

describe('a method', () => {
  it.each(['./releases', 'https://registry.example'])(
    'read() of %s takes a ModuleId',
    async (at) => {
      const opened = registry.openRegistries().open({ registry: at });
      if (!opened.ok) throw opened.error;
      const read = opened.value.read.bind(opened.value) as (id: unknown) => Promise<unknown>;
      const message = 'read(): found "lidar" as moduleId, expected a ModuleId of parseModuleId()';
      await expect(read('lidar')).rejects.toThrow(new TypeError(message));
    },
  );

  it('open() takes the terms of a policy', () => {
    const open = registry.openRegistries().open as (terms: unknown) => unknown;
    const message = 'open(): found "./releases" as terms, expected an object';
    expect(() => open('./releases')).toThrow(new TypeError(message));
  });

  it('publish() takes a ModuleId, and stores no other', () => {
    const catalogue = new server.Catalogue(':memory:');
    const publish = catalogue.publish.bind(catalogue) as (
      id: unknown,
      ...more: unknown[]
    ) => unknown;
    const message = 'publish(): found "lidar" as moduleId, expected a ModuleId of parseModuleId()';
    expect(() => publish('lidar', { version: '1.0.0' }, 0)).toThrow(new TypeError(message));
    expect(publish(moduleId('acme:lidar'), { version: '1.0.0' }, 0)).toBe('published');
    expect(catalogue.modules()).toEqual(['acme:lidar']);
    catalogue.close();
  });
});
