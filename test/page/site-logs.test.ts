import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { logsPath } from '../../src/server/logs/registry-logs.ts';
import { line } from '../support/otlp-logs.ts';
import { textOf } from './support/machine-page.ts';
import { logged } from './support/site-log.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const LINES = [
  line('begins', { at: NOW - 86_400_000 }),
  line('turns', { at: NOW - 120_000, module: 'acme_lidar' }),
  line('no SPACE left', { at: NOW - 60_000, severity: 'warn', module: 'acme_lidar' }),
  line('3 lines were lost', { at: NOW - 30_000, event: 'modreg.log.dropped', severity: 'warn' }),
  line('ends', { at: NOW, severity: 'error' }),
];

async function loggedSite(): Promise<TestSite> {
  const site = testSite();
  await logged(site, 'rover-7', LINES);
  await logged(site, 'rover-8', [line('other', { at: NOW })]);
  return site;
}

/** The lines of a page below its form. */
async function linesAt({ app }: TestSite, path: string): Promise<string[]> {
  const lines = await textOf(app, path);
  return lines.slice(lines.findIndex((one) => one.includes('module text since')) + 1);
}

const ENDS = '12:00:00 error agent ends';
const GAP = '11:59:30 warn gap 3 lines were lost';
const SPACE = '11:59:00 warn acme_lidar no SPACE left';
const TURNS = '11:58:00 info acme_lidar turns';
const BEGINS = '2026-11-24 12:00:00 info agent begins';
const LINKS = 'Download as textrover-7';

it.each([
  ['', [ENDS, GAP, SPACE, TURNS, BEGINS, LINKS]],
  ['?level=warn', [ENDS, GAP, SPACE, LINKS]],
  ['?level=loud', [ENDS, GAP, SPACE, TURNS, BEGINS, LINKS]],
  ['?module=acme_lidar', [SPACE, TURNS, LINKS]],
  ['?text=space', [SPACE, LINKS]],
  ['?since=-1h', [ENDS, GAP, SPACE, TURNS, LINKS]],
  ['?since=2026-11-25T11:59:30Z', [ENDS, GAP, LINKS]],
  ['?before=3', [TURNS, BEGINS, 'Newest linesDownload as textrover-7']],
  ['?text=nothing', ['The registry has no such line of rover-7.', 'rover-7']],
])('[D320] the log of a machine at %j is, the newest line first, %j', async (query, lines) => {
  const site = await loggedSite();
  expect(await linesAt(site, `/machines/rover-7/logs${query}`)).toEqual(lines);
});

it('[D320] the log of a site has the lines of all machines with their names', async () => {
  const site = await loggedSite();
  const [first, second] = await linesAt(site, '/logs');
  expect([first, second]).toEqual([
    '12:00:00 info rover-8 agent other',
    '12:00:00 error rover-7 agent ends',
  ]);
});

it('[D320] a machine that has sent nothing has no line, and the page says how it sends some', async () => {
  expect(await linesAt(testSite(), '/machines/rover-9/logs')).toEqual([
    'The registry has no line of rover-9. A machine sends its log if its policy has logs.endpoint.',
    'rover-9',
  ]);
});

it('[D320] the newest lines are renewed, and earlier ones stay', async () => {
  const site = await loggedSite();
  const isRenewed = async (path: string): Promise<boolean> =>
    (await (await site.app.request(path)).text()).includes('data-renew="true"');
  expect(await isRenewed('/machines/rover-7/logs')).toBe(true);
  expect(await isRenewed('/machines/rover-7/logs?before=3')).toBe(false);
});

it('[D320] the text to download has the lines as the command prints them, the newest last', async () => {
  const site = await loggedSite();
  const answer = await site.app.request('/machines/rover-7/logs.txt?module=acme_lidar');
  expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    'text/plain; charset=UTF-8',
    'attachment; filename="rover-7-log.txt"',
  ]);
  expect(await answer.text()).toBe(
    '2026-11-25T11:58:00.000Z info  turns\n2026-11-25T11:59:00.000Z warn  no SPACE left\n',
  );
  const [last] = (await (await site.app.request('/logs.txt')).text()).split('\n').slice(-2);
  expect(last).toBe('2026-11-25T12:00:00.000Z info  rover-8: other');
});

it('[D320] a page has at most 200 lines, and leads to earlier ones; the text has more', async () => {
  const site = testSite();
  const many = Array.from({ length: 1100 }, (_none, place) => line(`line ${place}`, { at: NOW }));
  await logged(site, 'rover-7', many);
  const html = await (await site.app.request('/machines/rover-7/logs')).text();
  expect(html.match(/<li /g)?.length).toBe(200);
  const [, earlier = ''] = /href="([^"]*before=[^"]*)"/.exec(html) ?? [];
  expect((await linesAt(site, earlier))[0]).toBe('12:00:00 info agent line 899');
  const text = await (await site.app.request('/machines/rover-7/logs.txt')).text();
  expect(text.split('\n').length).toBe(1101);
});

it('[T726] a time that is none is refused, with what would be one', async () => {
  const site = await loggedSite();
  const path = '/machines/rover-7/logs?since=soon';
  expect((await site.app.request(path)).status).toBe(422);
  expect(await textOf(site.app, path)).toEqual([
    'This cannot be shown',
    'BAD_FIELD since is "soon", expected a time such as -2h, yesterday or 2026-11-22T06:00:00Z',
  ]);
});

it('[T726] what the registry dropped is said, and a long or hostile line stays a cut text', async () => {
  const site = testSite();
  const texts = ['a', 'b', '\u202Egnp.exe\r', '<script>window.hasRun=1</script>'];
  await logged(
    site,
    'rover-7',
    texts.map((text) => line(text.repeat(100), { at: NOW })),
    { logsOfMachine: 4600 },
  );
  const html = await (await site.app.request('/machines/rover-7/logs')).text();
  expect(html).not.toMatch(/<script>window|\p{Cf}|\r/u);
  const [dropped, hostile = ''] = await linesAt(site, '/machines/rover-7/logs');
  expect([dropped, hostile.length]).toEqual([
    'The registry dropped 2 of its lines for later ones, the newest of 12:00 UTC.',
    '12:00:00 info agent '.length + 501,
  ]);
});

it('[T726] a damaged file of logs is said, and the other pages go on', async () => {
  const site = await loggedSite();
  await site.report('rover-7', [{}]);
  writeFileSync(logsPath(site.path), 'x'.repeat(8192));
  expect(await textOf(site.app, '/machines/rover-7/logs')).toEqual([
    'This cannot be shown',
    expect.stringMatching(/^STATE_UNREADABLE ".*registry-logs\.db": /),
  ]);
  expect((await site.app.request('/logs.txt')).status).toBe(500);
  expect((await site.app.request('/machines/rover-7')).status).toBe(200);
});

/** Text of 860 characters that can hardly be compressed. */
function digests(number: number): string {
  const digest = (part: number): string =>
    createHash('sha512').update(`${number} ${part}`).digest('base64').slice(0, 85);
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(digest).join(' ');
}

it('[D320] a page of long lines has fewer of them, stays below 30 kB, and leads to the others', async () => {
  const site = testSite();
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const long = numbers.map((number) => line(`${number} ${digests(number)}`, { at: NOW }));
  await logged(site, 'rover-7', long);
  const shown: string[] = [];
  const sizes: number[] = [];
  let path: string | undefined = '/machines/rover-7/logs';
  while (path !== undefined) {
    const html: string = await (await site.app.request(path)).text();
    sizes.push(brotliCompressSync(html).length);
    const lines = (await linesAt(site, path)).filter((one) => one.includes(' info agent '));
    shown.push(...lines.map((one) => one.split(' ')[3] ?? ''));
    path = /href="([^"]*)">Earlier lines/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(shown).toEqual(numbers.toReversed().map(String));

  expect([sizes.length, sizes.every((size) => size < 30_000)]).toEqual([4, true]);
});

it('[D320] a page has 200 lines of usual length', async () => {
  const site = testSite();
  const usual = Array.from({ length: 201 }, (_, number) => `${number} `.padEnd(100, 'turns '));
  await logged(
    site,
    'rover-7',
    usual.map((text) => line(text, { at: NOW, module: 'acme_lidar' })),
  );
  const lines = await linesAt(site, '/machines/rover-7/logs');
  expect(lines.filter((one) => one.includes('turns'))).toHaveLength(200);
});

it('[D320] the name of the text to download has nothing that ends it', async () => {
  const site = await loggedSite();
  const answer = await site.app.request('/machines/x%22%3B%20y%2Fz/logs.txt');
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
    200,
    'attachment; filename="x___y_z-log.txt"',
  ]);
});
