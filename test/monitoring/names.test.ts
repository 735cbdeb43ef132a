import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pageAt } from '../support/pages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { EXAMPLES, promtool, RULES } from './support/promtool.ts';
import { agent, poller, registry } from './support/servers.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

// A cast: a file of this repository.
const { panels } = JSON.parse(readFileSync(`${EXAMPLES}/dashboard.json`, 'utf8')) as Dashboard;
const QUERIES = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const CONDITIONS = Array.from(
  readFileSync(RULES, 'utf8').matchAll(/^ +expr: (?:>-\n)?((?:.|\n {10})+)$/gm),
  ([, expr = '']) => expr,
);

/** The names that servers print: those of a histogram are three. */
async function served(): Promise<Set<string>> {
  const texts = await Promise.all(
    [agent(), poller(), registry()].map(async ({ scrape }) => (await scrape()).text),
  );
  const types = texts.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm);
  const names = Array.from(types, ([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  );
  return new Set(['up', ...names.flat()]);
}

/** The names of metrics in a query: what is no label, number, function or word of the language. */
function namesIn(query: string): string[] {
  const bare = query
    .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right) *\([^)]*\)/g, ' ');
  const words = Array.from(bare.matchAll(/[a-z_:][\w:]*(?! *\(|\w)/gi), ([word]) => word);
  return words.filter((word) => !/^(?:and|or|unless|bool|offset)$/.test(word));
}

it.each([
  ['up{job=~"modreg-.+"} == 0', ['up']],
  ['sum by (le, route) (rate(a_bucket{route!="x"}[$__rate_interval]))', ['a_bucket']],
  [
    'a_total > 0.05 * sum by (job) (rate(b_total[10m])) unless on (job) c',
    ['a_total', 'b_total', 'c'],
  ],
  ['a - time() < 14 * 86400', ['a']],
])('[T334] finds the metrics of %s', (query, names) => {
  expect(namesIn(query)).toEqual(names);
});

it('[T334] the dashboard and the rules name only metrics that a server serves', async () => {
  const names = await served();
  const unknown = (queries: readonly string[]): string[] =>
    queries.flatMap(namesIn).filter((name) => !names.has(name));
  expect([unknown(QUERIES), unknown(CONDITIONS)]).toEqual([[], []]);
  expect([QUERIES, CONDITIONS].map((all) => all.every((one) => namesIn(one).length > 0))).toEqual([
    true,
    true,
  ]);
  expect([QUERIES.length > 20, CONDITIONS.length > 10]).toEqual([true, true]);
});

it('[T334] the dashboard or a rule has each metric of modreg but these', async () => {
  const shown = new Set([...QUERIES, ...CONDITIONS].flatMap(namesIn));
  const missing = [...(await served())].filter(
    (name) => name.startsWith('modreg_') && !shown.has(name),
  );
  expect(missing).toEqual([
    'modreg_registry_unsent_bytes',
    'modreg_registry_sequence',
    'modreg_registry_request_duration_seconds_sum',
    'modreg_registry_request_duration_seconds_count',
  ]);
});

it('[T334] the documentation has each metric of the agent', async () => {
  const { text } = pageAt('docs/running-the-agent.md');
  const names = [...(await served())].filter((name) => name.startsWith('modreg_agent_'));
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it('[T334] the panels of the dashboard have ids of their own', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

it('[T334] promtool understands each query of the dashboard', (context) => {
  const rules = QUERIES.map((query, place) => ({
    record: `query_${place}`,
    expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.+'),
  }));
  const groups = [{ name: 'dashboard', rules }];
  const folder = temporaryFolder({ 'queries.yml': JSON.stringify({ groups }) });
  expect(promtool(context, 'check', 'rules', `${folder}/queries.yml`)).toEqual([0, '']);
});
