import { describe, expect, it } from 'vitest';
import {
  checkDocument,
  readAgentConfiguration,
  readMachine,
  readUpdatePolicy,
  type DocumentResult,
} from '../../src/config/index.ts';

type Reader = (
  source: string,
  context: { readonly unknownFields?: 'error' | 'warn' },
) => DocumentResult<object>;

/** The problems of a reading, and the fields that hold every replacement by what was read. */
function read(reader: Reader, document: unknown, unknownFields?: 'warn'): readonly unknown[] {
  const result = reader(JSON.stringify(document), unknownFields ? { unknownFields } : {});
  const problems = result.problems.map(
    ({ severity, kind, path, suggestion }) =>
      `${severity} ${kind} ${path}${suggestion === undefined ? '' : ` ${suggestion}`}`,
  );
  return [result.ok ? fieldsIn(result.value) : 'not ok', ...problems];
}

function fieldsIn(value: object): unknown {
  const { unknownFields, agent } = value as {
    readonly unknownFields?: readonly { path: string }[];
    readonly agent?: { readonly unknownFields?: readonly { path: string }[] };
  };
  return (agent?.unknownFields ?? unknownFields ?? []).map(({ path }) => path);
}

interface Row {
  readonly reader: Reader;
  readonly document: unknown;
  /** The problem of the document, without its severity. */
  readonly problem: string;
  /** The fields that hold every replacement if the document is read without them. */
  readonly held: readonly string[];
}

describe('[D240] a field that is not known', () => {
  it.each<[what: string, row: Row]>([
    [
      'of a policy',
      {
        reader: readUpdatePolicy,
        document: { registry: 'https://registry.example', maintenence: [] },
        problem: 'unknown-field /maintenence maintenance',
        held: ['/maintenence'],
      },
    ],
    [
      'of the terms of one module',
      {
        reader: readUpdatePolicy,
        document: { modules: { lidar: { minimum_relase_age: '1d' } } },
        problem: 'unknown-field /modules/lidar/minimum_relase_age minimum_release_age',
        held: ['/modules/lidar/minimum_relase_age'],
      },
    ],
    [
      'of an agent configuration',
      {
        reader: readAgentConfiguration,
        document: { 'platform-server': { pin_verison: '1.0.0' } },
        problem: 'unknown-field /platform-server/pin_verison pin_version',
        held: ['/platform-server/pin_verison'],
      },
    ],
    [
      'of the agent configuration of a machine',
      {
        reader: readMachine,
        document: { modules: [], agent: { 'platform-sever': {} } },
        problem: 'unknown-field /agent/platform-sever platform-server',
        held: ['/agent/platform-sever'],
      },
    ],
    [
      'in place of agent',
      {
        reader: readMachine,
        document: { modules: [], agnet: { 'platform-server': {} } },
        problem: 'unknown-field /agnet agent',
        held: ['/agnet'],
      },
    ],
  ])('%s', (_what, { reader, document, problem, held }) => {
    expect(read(reader, document)).toEqual(['not ok', `error ${problem}`]);
    expect(read(reader, document, 'warn')).toEqual([held, `warning ${problem}`]);
  });

  it('in a policy that has no other field is found, unless that is another document', () => {
    expect(read(readUpdatePolicy, { maintenence: [] })).toEqual([
      'not ok',
      'error missing  maintenance',
    ]);
    expect(read(readUpdatePolicy, { maintenence: [] }, 'warn')).toEqual([
      ['/maintenence'],
      'warning unknown-field /maintenence maintenance',
    ]);
    expect(read(readUpdatePolicy, { components: [] }, 'warn')).toEqual([
      'not ok',
      'error missing ',
    ]);
  });

  it.each([
    [{ components: [], modues: [] }, '/modues'],
    [{ agent: {}, module: [] }, '/module'],
    [{ agent: {}, Modules: [] }, '/Modules'],
  ])('[D315] in place of modules: %j', (document, path) => {
    expect(read(readMachine, document)).toEqual(['not ok', `error unknown-field ${path} modules`]);
    expect(read(readMachine, document, 'warn')).toEqual([
      [path],
      `warning unknown-field ${path} modules`,
    ]);
  });

  it.each([
    [{ modules: [], modues: [] }, 'warning unknown-field /modues modules'],
    [{ components: [], mods: [] }, 'warning unknown-field /mods'],
  ])('[D315] holds nothing beside modules, or with another name: %j', (document, problem) => {
    expect(read(readMachine, document)).toEqual([[], problem]);
  });

  it('of a machine config for another program holds nothing', () => {
    const found = [[], 'warning unknown-field /remotes'];
    expect(read(readMachine, { modules: [], remotes: [] })).toEqual(found);
    expect(read(readMachine, { modules: [], remotes: [] }, 'warn')).toEqual(found);
  });

  it.each([
    ['machine', { modules: [], agent: { version_control: {} } }, '/agent/version_control'],
    ['agent', { version_control: {} }, '/version_control'],
  ] as const)('of a newer format of a %s names those of this one', (kind, document, path) => {
    const { problems } = checkDocument(JSON.stringify(document), undefined);
    expect(problems).toEqual([
      {
        severity: 'error',
        kind: 'unknown-field',
        path,
        line: 1,
        column: kind === 'machine' ? 24 : 2,
        message: 'unknown field',
        suggestion: undefined,
        hint: 'a newer format names versions there; in this one, pin_version, pin_url and release_channel of platform-agent and platform-server do',
      },
    ]);
    expect(checkDocument(JSON.stringify(document), undefined).kind).toBe(kind);
  });
});
