import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { readingOf } from '../support/racing.ts';
import { ALERTS } from './support/alerts.ts';
import { EXAMPLES, promtool, RULES } from './support/promtool.ts';
import { recorded, type Series } from './support/recorded.ts';
import { agent, module, poller, registry, STARTED } from './support/servers.ts';

// The servers measure ages with it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

interface Expected {
  readonly eval_time: string;
  readonly alertname: string;
  readonly exp_alerts: readonly object[];
}

/** The path of a file of rule tests. JSON is YAML. */
function testFile(
  series: readonly Series[],
  expected: readonly Expected[],
  interval = '1m',
): string {
  const tests = [{ interval, input_series: series, alert_rule_test: expected }];
  const content = { rule_files: [RULES], evaluation_interval: interval, tests };
  return `${temporaryFolder({ 'test.yml': JSON.stringify(content) })}/test.yml`;
}

/** The names of the alerts, and what each tells to do. */
const ACTIONS = new Map(
  Array.from(
    readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)\n(?:(?!- alert)[^])*?action: '(.+)'$/gm),
    ([, name = '', action = '']) => [name, action] as const,
  ),
);

it('[T334] each alert of the examples has a test', () => {
  expect([...ACTIONS.keys()]).toEqual(Object.keys(ALERTS));
});

it.for(Object.entries(ALERTS))(
  '[T334] %s fires on the metrics that a server serves, and not before',
  async ([name, { played, before, at, labels, summary }], context) => {
    const server = await played();
    const told = ACTIONS.get(name) ?? '';
    const action = told.replace('{{ $labels.module }}', labels['module'] ?? '');
    const fired = {
      exp_labels: { job: server.job, instance: 'host:9464', ...labels },
      exp_annotations: { summary, action },
    };
    const expected = [
      { eval_time: before, alertname: name, exp_alerts: [] },
      { eval_time: at, alertname: name, exp_alerts: [fired] },
    ];
    const file = testFile(await recorded(server), expected, at.endsWith('d') ? '1d' : '1m');
    expect(promtool(context, 'test', 'rules', file)).toEqual([0, '']);
  },
);

it('[T334] no alert fires while all is well', async (context) => {
  const [anAgent, aPoller, aRegistry] = [agent(), poller(), registry()];
  const steps = 120;
  const series = [
    ...(await recorded({
      job: 'modreg-agent',
      scrape: anAgent.scrape,
      steps,
      play: async (step) => {
        if (step === 1) for (const one of [STARTED, module('running')]) anAgent.onOwnEvent(one);
        await anAgent.round(readingOf(1));
      },
    })),
    ...(await recorded({
      job: 'modreg-poller',
      scrape: aPoller.scrape,
      steps,
      play: async () => await aPoller.round(readingOf(1)),
    })),
    ...(await recorded({
      job: 'modreg-registry',
      scrape: aRegistry.scrape,
      steps,
      play: (step) => aRegistry.answered(step % 30 === 0 ? '503' : '200'),
    })),
  ];
  const expected = [...ACTIONS.keys()].flatMap((alertname) =>
    ['30m', '60m', '120m'].map((at) => ({ eval_time: at, alertname, exp_alerts: [] })),
  );
  expect(promtool(context, 'test', 'rules', testFile(series, expected))).toEqual([0, '']);
});

it('[T334] promtool finds no mistake in the examples', (context) => {
  const found = promtool(context, 'check', 'config', `${EXAMPLES}/prometheus.yml`);
  expect(found).toEqual([0, '']);
});
