import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMachine, type DocumentProblem } from '../../src/config/index.ts';
import { parseConstraint, parseModuleId } from '../../src/core/index.ts';
import { RUNS } from '../support/runs.ts';

function problemsOf(document: object): readonly DocumentProblem[] {
  return readMachine(JSON.stringify(document)).problems;
}

function kindsOf(document: object): string[] {
  return problemsOf(document).map(({ kind }) => kind);
}

function component(name: string, fields: object = {}): object {
  return { name, model: 'fake', type: 'base', namespace: 'rdk', ...fields };
}

function registryModule(fields: object): object {
  return { type: 'registry', name: 'm', module_id: 'acme:lidar', version: '1.*', ...fields };
}

/** Any JSON value without forbidden keys, which are faults themselves. */
const json = fc
  .jsonValue()
  .filter((value) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(value)));

describe('an unreadable value hides no other fault, and causes no false one', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'a dependency may mean the component whose name is unreadable',
      { components: [component('a', { depends_on: ['b'] }), component('b', { name: 5 })] },
      ['bad-type'],
    ],
    [
      'a model may belong to the module whose id is unreadable',
      {
        components: [component('a', { model: 'acme:lidar:x' })],
        modules: [registryModule({ module_id: 'acme/lidar' })],
      },
      ['bad-module-id'],
    ],
    [
      'a module may be used by the component whose model is unreadable',
      { components: [component('a', { model: null })], modules: [registryModule({})] },
      ['bad-type'],
    ],
    [
      'a module with an unknown type is checked as a registry module',
      {
        components: [component('a', { model: 'acme:lidar:x' })],
        modules: [registryModule({ type: 'regstry', version: '1.x', env: { A: 1 } })],
      },
      ['bad-value', 'bad-constraint', 'bad-type'],
    ],
    [
      'a misspelled module is reported once, not also as unused',
      { components: [component('a', { model: 'acme:lider:x' })], modules: [registryModule({})] },
      ['model-mismatch'],
    ],
    [
      'a model with wrong syntax may belong to any module',
      { components: [component('a', { model: 'acme:lidar' })], modules: [registryModule({})] },
      ['bad-value'],
    ],
    [
      'a variable that is read twice is reported once',
      {
        components: [component('a', { model: 'acme:lidar:x' })],
        modules: [
          registryModule({
            env: { A: '${environment.PLATFORM_API_KEY}${environment.PLATFORM_API_KEY}' },
          }),
        ],
      },
      ['forbidden-variable'],
    ],
    [
      'a dependency that is not a name is not looked up',
      { components: [component('a', { depends_on: ['x/y'] })] },
      ['bad-value'],
    ],
    [
      'a field with the name of a property of every object is unknown',
      { modules: [], toString: 1, valueOf: 2 },
      ['unknown-field', 'unknown-field'],
    ],
    [
      'a dependency that is not text hides no other one',
      { components: [component('a', { depends_on: [7, 'b'] })] },
      ['bad-type', 'unknown-reference'],
    ],
    [
      'only a fake board has pins, which other fakes may name as they like',
      { components: [component('a', { attributes: { analogs: [{ name: 'x' }, { name: 'x' }] } })] },
      [],
    ],
    [
      'names that are not text are not duplicates',
      { components: [component('a', { name: 1 }), component('a', { name: 2 })] },
      ['bad-type', 'bad-type'],
    ],
    [
      'references are checked even if other values are wrong',
      {
        components: [component('a', { depends_on: ['b'], type: 7 })],
        modules: [registryModule({ version: '^1' })],
      },
      ['bad-type', 'unknown-reference', 'unused-module', 'bad-constraint'],
    ],
    [
      'a field of the wrong type has one problem',
      { modules: [registryModule({ env: ['A=1'], name: null })], components: 'none' },
      ['bad-type', 'bad-type', 'bad-type'],
    ],
  ])('%s', (_title, document, kinds) => {
    expect(kindsOf(document).toSorted()).toEqual(kinds.toSorted());
  });
});

describe('[T9] names', () => {
  it('that are duplicates are reported at each place except the first', () => {
    const problems = problemsOf({ components: [component('a'), component('a'), component('a')] });
    expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
      '/components/1/name another component is named a; see 1:24',
      '/components/2/name another component is named a; see 1:24',
    ]);
  });

  it('each of several entries with one module_id refers to the first', () => {
    const modules = ['a', 'b', 'c'].map((name) => registryModule({ name }));
    const problems = problemsOf({ modules }).filter(({ kind }) => kind !== 'unused-module');
    expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
      '/modules/1/module_id another entry has this module_id; each is resolved separately; see 1:55',
      '/modules/2/module_id another entry has this module_id; each is resolved separately; see 1:55',
    ]);
  });

  it('are case-sensitive, and a component may have the name of a module', () => {
    const components = [component('m', { model: 'acme:lidar:x' }), component('M')];
    expect(kindsOf({ components, modules: [registryModule({})] })).toEqual([]);
  });
});

/** Whether the graph has a cycle: a walk with as many steps as there are components exists. */
function hasCycle(edges: readonly (readonly number[])[]): boolean {
  let ends = new Set(edges.keys());
  for (const _ of edges) ends = new Set([...ends].flatMap((end) => edges[end] ?? []));
  return ends.size > 0;
}

describe('[T11] dependencies', () => {
  const graph = fc
    .integer({ min: 1, max: 8 })
    .chain((size) =>
      fc.array(fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: size }), {
        minLength: size,
        maxLength: size,
      }),
    );

  it('are reported as a cycle if and only if they form one, and each reported cycle exists', () => {
    fc.assert(
      fc.property(graph, (edges) => {
        const components = edges.map((targets, at) =>
          component(`c${at}`, { depends_on: targets.map((target) => `c${target}`) }),
        );
        const problems = problemsOf({ components });
        expect(problems.length > 0).toBe(hasCycle(edges));
        for (const { kind, message } of problems) {
          expect(kind).toBe('cycle');
          const names = message.match(/c\d/g) ?? [];
          const walk = message.endsWith('itself') ? [...names, ...names] : names;
          expect(walk.at(-1)).toBe(walk[0]);
          walk.slice(1).forEach((name, at) => {
            expect(edges[Number(walk[at]?.slice(1))]).toContain(Number(name.slice(1)));
          });
        }
      }),
      { numRuns: RUNS.numRuns / 10 },
    );
  });

  it('may be ten thousand deep', () => {
    const chain = Array.from({ length: 10_000 }, (_, at) =>
      component(`c${at}`, { depends_on: at === 9999 ? [] : [`c${at + 1}`] }),
    );
    expect(kindsOf({ components: chain })).toEqual([]);
  });
});

describe('a module', () => {
  const anything = fc.oneof(
    json,
    fc.string({ maxLength: 12 }),
    fc.stringMatching(/^[0-9X*.]{1,7}(-[a-z0-9.]{1,4})?$/),
    fc.constantFrom('latest', 'latest-with-prerelease', 'acme:lidar', '1.2.*', '1.2.3', ''),
  );

  it('[T1][T3] accepts a version if and only if it is a constraint', () => {
    fc.assert(
      fc.property(anything, (version) => {
        const kinds = kindsOf({
          components: [component('a', { model: 'acme:lidar:x' })],
          modules: [registryModule({ version })],
        });
        expect(kinds).toEqual(parseConstraint(version).ok ? [] : ['bad-constraint']);
      }),
      { numRuns: RUNS.numRuns / 10 },
    );
  });

  it('[T10] accepts a module_id if and only if it is a module id', () => {
    fc.assert(
      fc.property(anything, (id) => {
        const kinds = kindsOf({ modules: [registryModule({ module_id: id })] });
        expect(kinds).toEqual(parseModuleId(id).ok ? [] : ['bad-module-id']);
      }),
      { numRuns: RUNS.numRuns / 10 },
    );
  });
});

it('[T12] accepts a priority if and only if it is a whole number from -999 to 999', () => {
  const values = fc.oneof(
    fc.integer({ min: -1100, max: 1100 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    json,
  );
  fc.assert(
    fc.property(values, (priority) => {
      const attributes = { networks: [{ ssid: 'yard', priority }] };
      const kinds = kindsOf({ agent: { 'agent-provisioning': { attributes } } });
      const isInteger = Number.isInteger(priority);
      const expected = isInteger ? 'out-of-range' : 'bad-value';
      const inRange = isInteger && Math.abs(Number(priority)) <= 999;
      expect(kinds).toEqual(inRange ? [] : [typeof priority === 'number' ? expected : 'bad-type']);
    }),
    { numRuns: RUNS.numRuns / 10 },
  );
});
