import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/registry/clock.ts';
import { serveRegistry } from '../../src/server/index.ts';
import { guardedSite, HTML, OWN, type GuardedSite } from '../page/support/guarded-site.ts';
import { testSite } from '../page/support/site-page.ts';
import { exported, line } from '../support/otlp-logs.ts';
import { entry } from '../support/planned.ts';
import { tokenFor } from '../support/token.ts';

const VALUE = 'kiwi-7f3a';
const MACHINES = ['rover-7', 'rover-8'];

interface Fleet {
  readonly page: GuardedSite;
  /** The answer of the registry to a request, as its status and the kind of its problem. */
  readonly ask: (request: string, headers: object, body?: string) => Promise<string>;
  /** What the registry has of a machine. */
  readonly known: (machine: string) => Promise<object>;
}

/** A served registry with its page, and two machines with documents, secrets, commands and logs. */
async function fleet(): Promise<Fleet> {
  const page = guardedSite(testSite());
  const { catalogue } = page.site;
  const clock = { ...systemClock, now: () => page.site.now };
  const running = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 }, { clock });
  onTestFinished(async () => await running.close());
  const send = async (request: string, headers: object, body?: string): Promise<Response> => {
    const [method = '', path = ''] = request.split(' ');
    const sent = { 'content-type': 'application/json', ...headers };
    return await fetch(running.address + path, { method, headers: sent, ...(body && { body }) });
  };
  const ops = {
    authorization: `Bearer ${tokenFor(catalogue, ['config', 'commands', 'logs:read'], 'ops')}`,
  };
  const get = async (path: string): Promise<unknown> =>
    await (await send(`GET ${path}`, ops)).json();
  for (const machine of MACHINES) {
    await page.site.report(machine, [{}]);
    const maps = { ...entry('acme:maps', '1.*'), env: { KEY: '${secret.MAPS}' } };
    const of = `/v1/machines/${machine}`;
    const config = JSON.stringify({ modules: [maps] });
    await send(`PUT ${of}/config`, ops, JSON.stringify({ based_on: 0, config, reason: 'first' }));
    await send(`PUT ${of}/config/secrets/MAPS`, ops, JSON.stringify({ value: VALUE }));
    const own = {
      authorization: `Bearer ${tokenFor(catalogue, [`machine:${machine}`], `first-${machine}`)}`,
    };
    await send('POST /v1/logs', own, exported([line(`a line of ${machine}`)], machine));
    await send(`PUT ${of}/commands`, ops, hold('first', 'AAAAAAAAAAAAAAAAAAAAAA'));
  }
  const known = async (machine: string): Promise<object> => {
    const of = `/v1/machines/${machine}`;
    const logs = `/v1/fleet/logs?machine=${machine}`;
    const paths = [`${of}/config`, `${of}/commands`, `${of}/config/secrets`, logs];
    return await Promise.all(paths.map(get));
  };
  expect(await known('rover-8')).toMatchObject([
    { revision: 1 },
    { commands: [{ number: 1, state: 'waiting' }] },
    { secrets: [{ name: 'MAPS', has_value: true }] },
    { lines: [{ text: 'a line of rover-8' }] },
  ]);
  return {
    page,
    known,
    async ask(...request) {
      const answer = await send(...request);
      const text = await answer.text();
      const [, kind = ''] = /"type":"urn:modreg:([^"]*)"/.exec(text) ?? [];
      const parts = [answer.status, kind, text.includes(VALUE) ? 'with the value' : ''];
      return parts.filter((one) => one !== '').join(' ');
    },
  };
}

function hold(reason: string, key = 'BBBBBBBBBBBBBBBBBBBBBB'): string {
  return JSON.stringify({ key, kind: 'hold', module: null, for: '1h', reason });
}

const SAVING = JSON.stringify({ based_on: 1, config: '{"modules":[]}', reason: 'mine' });
const ANSWER = JSON.stringify({ applied: 1, refused: null });
const OUTCOMES = JSON.stringify({ outcomes: [{ number: 1, result: 'done', detail: 'never' }] });
const NONCE = 'nonce=AAAAAAAAAAAAAAAAAAAAAA';

const DENIED = '403 missing-scope';

/** Requests, and the answers to the token of rover-7. */
const WITH_TOKEN: readonly (readonly [string, string | undefined, string])[] = [
  ['GET /v1/machines/rover-7/config', undefined, '200'],
  ['GET /v1/machines/rover-7/config/secret-values', undefined, '200 with the value'],
  ['GET /v1/machines/rover-7/commands?' + NONCE, undefined, '200'],
  ['PUT /v1/machines/rover-7/config', SAVING, DENIED],
  ['GET /v1/machines/rover-7/config/history', undefined, DENIED],
  ['GET /v1/machines/rover-7/config/secrets', undefined, DENIED],
  ['PUT /v1/machines/rover-7/config/secrets/MAPS', '{"value":"mine"}', DENIED],
  ['PUT /v1/machines/rover-7/config/signatures', '{"revision":1,"signatures":{}}', DENIED],
  ['PUT /v1/machines/rover-7/commands', hold('mine'), DENIED],
  ['GET /v1/machines/rover-8/config', undefined, DENIED],
  ['PUT /v1/machines/rover-8/config', SAVING, DENIED],
  ['PUT /v1/machines/rover-8/config/answer', ANSWER, DENIED],
  ['GET /v1/machines/rover-8/config/secret-values', undefined, DENIED],
  ['GET /v1/machines/rover-8/config/secrets', undefined, DENIED],
  ['GET /v1/machines/rover-8/commands?' + NONCE, undefined, DENIED],
  ['PUT /v1/machines/rover-8/commands', hold('mine'), DENIED],
  ['PUT /v1/machines/rover-8/commands/outcomes', OUTCOMES, DENIED],
  ['PUT /v1/groups/canary/commands', hold('mine'), DENIED],
  ['GET /v1/fleet/logs?machine=rover-7', undefined, DENIED],
  ['GET /v1/fleet/logs?machine=rover-8', undefined, DENIED],
  ['POST /v1/logs', exported([line('forged')], 'rover-8'), '200'],
  ['GET /v1/fleet/machines', undefined, DENIED],
  ['PUT /v1/fleet/machines/rover-8/retired', '{}', DENIED],
  ['GET /v1/fragments', undefined, DENIED],
  ['PUT /v1/fragments/base', '{"based_on":0,"content":"{}","reason":"mine"}', DENIED],
  ['POST /v1/modules/acme/maps/releases', '{"version":"9.9.9"}', DENIED],
  ['PUT /v1/trust', '{}', DENIED],
];

it('[D264] [D295] [D364] who holds the token of a machine does and reads what is of that machine alone', async () => {
  const { page, ask, known } = await fleet();
  const token = tokenFor(page.site.catalogue, ['machine:rover-7'], 'stolen');
  const headers = { authorization: `Bearer ${token}` };
  const before = await known('rover-8');
  const answers: string[] = [];
  for (const [request, body] of WITH_TOKEN) answers.push(await ask(request, headers, body));
  expect(answers).toEqual(WITH_TOKEN.map(([, , answer]) => answer));
  expect(await known('rover-8')).toEqual(before);
  expect(page.site.catalogue.configs.commands.all('rover-7')).toHaveLength(1);
  for (const path of ['/', '/machines/rover-8', '/machines/rover-8/logs'])
    expect((await page.ask(`GET ${path}`, { ...HTML, ...headers })).status).toBe(401);
});

const COMMAND = 'key=CCCCCCCCCCCCCCCCCCCCCC&module=acme_maps&reason=mine&for=1h';

/** Requests to the page, and whether a viewer is answered. */
const BY_A_VIEWER: readonly (readonly [string, string | undefined, number])[] = [
  ['GET /machines/rover-8', undefined, 200],
  ['GET /machines/rover-8/documents/1', undefined, 200],
  ['GET /machines/rover-8/logs', undefined, 200],
  ['GET /changes', undefined, 200],
  ['GET /machines/rover-8/commands/hold', undefined, 403],
  ['POST /machines/rover-8/commands/hold', COMMAND, 403],
  ['POST /machines/rover-8/commands/restart', COMMAND, 403],
  ['POST /machines/rover-8/modules/acme_maps/version', 'based_on=1&version=2.*&reason=mine', 403],
  ['POST /machines/rover-8/documents/1/restore', 'based_on=1&reason=mine', 403],
];

it('[D364] [D372] [T773] who holds the session of a viewer reads pages, without values, and changes nothing, there and at the registry', async () => {
  const { page, ask, known } = await fleet();
  page.account('eve', 'viewer');
  const cookie = page.sessionOf('eve');
  const before = await known('rover-8');
  const answers: number[] = [];
  for (const [request, body] of BY_A_VIEWER) {
    const { status, text } = await seen(page, request, { cookie }, body);
    expect(text).not.toContain(VALUE);
    answers.push(status);
  }
  expect(answers).toEqual(BY_A_VIEWER.map(([, , status]) => status));
  const others = WITH_TOKEN.map(async ([request, body]) => await ask(request, { cookie }, body));
  expect(new Set(await Promise.all(others))).toEqual(new Set(['401 unauthorized']));
  expect(await known('rover-8')).toEqual(before);
});

async function seen(
  page: GuardedSite,
  request: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const kind = body === undefined ? HTML : OWN;
  const answer = await page.ask(request, { ...kind, ...headers }, body);
  return { status: answer.status, text: await answer.text() };
}
