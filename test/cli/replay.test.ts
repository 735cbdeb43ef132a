import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownVersion } from '../../src/cli/version.ts';
import { outcomeOf } from '../../src/host/history/outcome.ts';
import { readRecord, recordDocument } from '../../src/host/history/record-document.ts';
import { restoredInput } from '../../src/host/restored-input.ts';
import { secretMarkers } from '../../src/host/history/secret-markers.ts';
import { compileWindows } from '../../src/config/window.ts';
import { decide, indexReleases, type DecideInput } from '../../src/core/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { encodeFacts } from '../../src/store/facts.ts';
import { moduleQuestion } from '../support/decided.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask, homeAfterNight } from '../support/history.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { machines, planOf } from '../support/machines.ts';
import { moduleListOf } from '../../src/registry/module-list.ts';
import { moduleId } from '../support/ask.ts';

/** The path of a new file. */
function newFile(name = 'decision.json'): string {
  return `${temporaryFolder()}/${name}`;
}

describe('a recorded decision', () => {
  it('is replayed with the same result', async () => {
    const { home } = await homeAfterNight();
    const file = newFile();
    expect(await ask(home, 'why', 'acme:lidar', '--record', file)).toEqual({
      answer: [`the decision about acme:lidar of 2026-11-21T04:24:33Z is in "${file}"`],
      problems: [],
      exit: 0,
    });
    expect(statSync(file).mode % 0o1000).toBe(0o600);
    expect(await ask(home, 'replay', file)).toEqual({
      answer: [
        `acme:lidar, decided at 2026-11-21T04:24:33Z with modreg ${ownVersion()}: the same decision`,
        '  stuck: the pin failed on this machine (no light) and is quarantined',
      ],
      problems: [],
      exit: 0,
    });
  });

  it('that is not the last one needs its list', async () => {
    const { home } = await homeAfterNight();
    const file = newFile();
    const at = ['why', 'acme:lidar', '--record', file, '--at'];
    const early = await ask(home, ...at, '2026-11-21T01:20:00Z');
    expect([early.exit, early.problems[0]?.replace(/[0-9a-f]{64}/, 'DIGEST')]).toEqual([
      1,
      'the decision about acme:lidar of 2026-11-21T01:14:33Z cannot be recorded, because this is missing: its release list with the digest DIGEST: another one, or none, is saved now',
    ]);
    expect((await ask(home, ...at, '2026-11-21T04:02:00Z')).exit).toBe(0);
    expect((await ask(home, 'replay', file)).answer).toEqual([
      `acme:lidar, decided at 2026-11-21T04:00:00Z with modreg ${ownVersion()}: the same decision`,
      '  upgrade 1.3.0: newest release of 1',
    ]);
    const before = readFileSync(file, 'utf8');
    expect(await ask(home, ...at, '2026-11-21T04:02:00Z')).toEqual({
      answer: [],
      problems: [`the file "${file}" cannot be written (it exists, and is kept)`],
      exit: 2,
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('that comes out differently is shown with both results', async () => {
    const { home } = await homeAfterNight();
    const [file, other] = [newFile(), newFile()];
    await ask(home, 'why', 'acme:lidar', '--record', file, '--at', '2026-11-21T04:02:00Z');
    writeFileSync(
      other,
      readFileSync(file, 'utf8').replace('"version":"1.3.0"', '"version":"1.3.1"'),
    );
    expect(await ask(home, 'replay', other)).toEqual({
      answer: [
        `acme:lidar, decided at 2026-11-21T04:00:00Z with modreg ${ownVersion()}: another decision`,
        '  target recorded    1.3.0',
        '  target recomputed  1.3.1',
      ],
      problems: [],
      exit: 11,
    });
    const { answer } = await ask(home, 'replay', other, '--json');
    expect(JSON.parse(answer[0] ?? '')).toEqual({
      schema: 'modreg/replay@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      since: '2026-11-21T04:00:00Z',
      modreg: ownVersion(),
      recorded: { decision: 'upgrade', target: '1.3.0', reason: 'newest release of 1' },
      recomputed: { decision: 'upgrade', target: '1.3.1', reason: 'newest release of 1' },
      differences: ['target'],
    });
  });

  it('with a list from a folder needs the same file', async () => {
    const folder = temporaryFolder({ 'acme/lidar.json': '{"releases":[{"version":"1.2.9"}]}' });
    const registry = openRegistries().open({ registry: folder });
    if (!registry.ok) throw registry.error;
    const value = await registry.value.read(moduleId('acme:lidar'));
    const list = moduleListOf({ ok: true, value });
    const input = { ...moduleQuestion({ wanted: '1.*', deployed: '1.2.3' }), list };
    const home = homeWith(input);
    const files = [newFile(), newFile()] as const;
    expect((await ask(home, 'why', 'acme:lidar', '--record', files[0])).problems).toEqual([]);
    expect((await ask(home, 'replay', files[0])).exit).toBe(0);
    utimesSync(`${folder}/acme/lidar.json`, 1, 1);
    expect((await ask(home, 'why', 'acme:lidar', '--record', files[1])).exit).toBe(1);
  });

  it('contains no secrets, and equal ones have equal markers', async () => {
    const url = 'https://user:CANARY@builds.example/lidar?key=CANARY-2#CANARY-3';
    const deployed = `${url}-4`;
    const home = homeWith({
      ...moduleQuestion({ wanted: { kind: 'pin-url', url, shadowed: undefined }, deployed: null }),
      deployed: { kind: 'url', url: deployed },
    });
    const file = newFile();
    await ask(home, 'why', 'acme:lidar', '--record', file);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('CANARY');
    expect(text.match(/https:[^"]*/g)).toEqual([
      'https://builds.example/lidar',
      'https://secret-1@builds.example/lidar?secret-2#secret-3',
      'https://secret-1@builds.example/lidar?secret-2#secret-4',
    ]);
    expect((await ask(home, 'replay', file)).exit).toBe(0);
  });
});

/** The home of a machine with one decision, about acme:lidar. */
function homeWith(input: DecideInput): string {
  const { decision, target, reason } = outcomeOf(input);
  const row = logged('acme_lidar', { decision, target, reason });
  const inputs = new Map([['module acme_lidar', input]]);
  return homeAfter((state) => state.log([row], { at: 1, trouble: undefined }, inputs));
}

it.each([
  ['https://a:b@host/p', 'https://secret-1@host/p'],
  ['https://a:b@c@host/p', 'https://secret-1@host/p'],
  [
    'see https://host/?a=1 and https://host/?a=1.',
    'see https://host/?secret-1 and https://host/?secret-2',
  ],
  ['a:b@host/p', 'secret-1@host/p'],
  ['https://host/f#sha256=00ff', 'https://host/f#sha256=00ff'],
  ['https://host/f#sha256=00ff&token=1', 'https://host/f#secret-1'],
  ['1.2.3+b sha256:00ff why? <x@y>', '1.2.3+b sha256:00ff why? <x@y>'],
])('%s is recorded as %s', (text, expected) => {
  expect(secretMarkers()({ list: [text] })).toEqual({ list: [expected] });
});

describe('a damaged record', () => {
  const RECORD = {
    schema: 'modreg/record@1',
    modreg: ownVersion(),
    kind: 'module',
    name: 'acme_lidar',
    module_id: 'acme:lidar',
    since: '2026-11-21T04:00:00Z',
    platform: 'linux/arm64',
    decision: { decision: 'upgrade', target: '1.2.9', reason: 'newest' },
    facts: JSON.parse(encodeFacts(moduleQuestion({ wanted: '1.*', deployed: '1.2.3' }))) as object,
    list: { records: [{ version: '1.2.9' }] },
  };
  const facts = (more: object): object => ({ ...RECORD, facts: { ...RECORD.facts, ...more } });
  const timing = (window: unknown): object =>
    facts({
      timing: {
        isServerBusy: false,
        restarts: [],
        restartCooldownMs: 1,
        restartCeiling: 1,
        window,
      },
    });

  const CASES: readonly (readonly [string | object, string])[] = [
    [
      '{',
      "it is not the JSON of a record: SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
    ],
    [
      '{"a":1,"a":1}',
      'it is not the JSON of a record: it has a key twice, or is nested too deeply',
    ],
    ['[]', 'its schema is missing, expected "modreg/record@1"'],
    [
      { ...RECORD, schema: 'modreg/record@2' },
      'its schema is "modreg/record@2", expected "modreg/record@1"',
    ],
    [{ ...RECORD, since: 'yesterday' }, 'its field since is missing or damaged'],
    [{ ...RECORD, list: { records: [{}] } }, 'its field list is missing or damaged'],
    [{ ...RECORD, decision: {} }, 'its field decision is missing or damaged'],
    [
      facts({ eligibility: { now: 1e300, platform: 'any' } }),
      'its field facts is missing or damaged',
    ],
    [
      facts({ deployed: { kind: 'version' } }),
      'its facts lack the field deployed, which is missing or damaged',
    ],
    [
      facts({ quarantine: undefined }),
      'its facts lack the field quarantine, which is missing or damaged',
    ],
    [
      timing({ $windows: null }),
      'its facts lack the maintenance windows, which the agent computes: no policy document contains them',
    ],
    [
      timing({ $windows: [{ start: 'x', durationMs: 1, timeZone: 'UTC' }] }),
      'its facts lack the maintenance windows, which are damaged',
    ],
  ];

  it.each(CASES.map(([content, because]) => [because, content] as const))(
    '%s',
    async (because, content) => {
      const file = newFile();
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      expect(await ask(temporaryFolder(), 'replay', file)).toEqual({
        answer: [],
        problems: [`"${file}" cannot be replayed: ${because}`],
        exit: 1,
      });
    },
  );
});

it('the recorded decision of any machine is replayed with the same result', () => {
  fc.assert(
    fc.property(machines, (machine) => {
      for (const [place, { name, moduleId: id, decision }] of planOf(machine).modules.entries()) {
        const module = machine.modules[place];
        const input = withRules(decision.input, module?.terms.openings);
        const text = recordDocument({
          modreg: '0',
          kind: 'module',
          name,
          moduleId: id,
          since: 0,
          platform: machine.platform,
          outcome: outcomeOf(input),
          facts: JSON.parse(encodeFacts(input)),
          list: undefined,
          records: module?.list ?? [],
        });
        const record = readRecord(text);
        if (!record.ok) throw new Error(record.error);
        const restored = restoredInput(record.value.facts, indexReleases(record.value.records));
        if (!restored.ok) throw new Error(restored.error);
        expect(outcomeOf(restored.value)).toEqual(record.value.outcome);
        const { input: _one, ...verdict } = decide(restored.value);
        expect(verdict.kind).toBe(decide(input).kind);
      }
    }),
  );
});

/** The input with the same windows as a policy has them: each opens once a year. */
function withRules(
  input: DecideInput,
  openings: readonly (readonly [number, number])[] = [],
): DecideInput {
  const rules = openings.map(([start, end]) => {
    const at = new Date(start);
    const day = `${at.getUTCDate()} ${at.getUTCMonth() + 1}`;
    const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} ${day} *`;
    return { start: cron, durationMs: end - start, timeZone: 'UTC' };
  });
  return { ...input, timing: { ...input.timing, window: compileWindows(rules) } };
}
