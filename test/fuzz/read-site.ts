import type { Hono } from 'hono';
import { answeredBy } from '../../mocks/replaced-fetch.ts';
import { siteApp } from '../../src/page/site/site-app.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { registryApp } from '../../src/server/app.ts';
import { changeFeed } from '../../src/server/catalogue/change-feed.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { siteOf } from '../../src/site/site.ts';
import type { SiteFiles } from '../../src/site/site-files.ts';
import { moduleId } from '../support/ask.ts';
import { printed } from '../support/command.ts';
import { tokenFor } from '../support/token.ts';
import { NOW } from './report-texts.ts';
import { isOneLine } from './target.ts';

/** A registry in memory, with everything that reads what machines reported. */
export interface ReadSite {
  readonly fleet: FleetFile;
  /** What each reader says about the machines `ids`, by its name. Throws a WrongAnswer. */
  readonly read: (
    ids: readonly string[],
    others: readonly string[],
  ) => Promise<Map<string, unknown>>;
  readonly close: () => void;
}

/** A reader has no answer. */
export class WrongAnswer extends Error {}

const ADDRESS = 'https://registry.test';
const LIDAR = '/v1/modules/acme/lidar';

const now = (): number => NOW;

export function readSite(): ReadSite {
  const catalogue = new Catalogue(':memory:', { mode: 'create' });
  const feed = changeFeed(catalogue);
  feed.close();
  const fleet = new FleetFile(':memory:', now);
  let error: unknown;
  const app = registryApp(catalogue, feed, {
    clock: { ...systemClock, now },
    spreadMs: 0,
    fleet,
    log: (event) => {
      if (event.kind === 'failed') ({ error } = event);
    },
  });
  for (const release of [{ version: '1.2.8' }, { version: '1.2.9' }, ROLLING]) {
    const read = readRelease(release);
    if (read.ok) catalogue.publish(moduleId('acme:lidar'), read.value, NOW);
  }
  const files: SiteFiles = {
    catalogue,
    fleet,
    lines: async () => await Promise.resolve({ lines: [], dropped: null, next: null }),
    now,
    change: (work) => work(catalogue),
    close: () => undefined,
  };
  const page = siteApp(
    { ...siteOf(files, () => undefined), title: 'a site' },
    {
      assets: { style: '', script: '', wall: '' },
      naming: { command: 'modreg registry page' },
      access: undefined,
      onError: (cause) => (error = cause),
    },
  );
  const token = tokenFor(catalogue, ['fleet:read']);
  const ask = async (from: Hono, path: string): Promise<string> => {
    error = undefined;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await from.fetch(new Request(`${ADDRESS}${path}`, { headers }));
    const text = await answer.text();
    if (answer.status === 200) return text;
    const cause = error instanceof Error ? error.stack : text.replaceAll(/\s+/g, ' ');
    throw new WrongAnswer(`GET ${path} is ${answer.status}: ${cause?.slice(0, 1500)}`);
  };
  const run = async (...args: readonly string[]): Promise<readonly string[]> =>
    await command(app, token, args);
  return {
    fleet,
    async read(ids, others) {
      const found = new Map<string, unknown>();
      for (const reader of [fromApi, fromCommands, fromPages]) {
        for (const [name, said] of await reader({
          ids,
          others,
          api: async (path) => await ask(app, path),
          page: async (path) => await ask(page, path),
          run,
        })) {
          found.set(name, said);
        }
      }
      return found;
    },
    close() {
      fleet.close();
      catalogue.close();
    },
  };
}

const ROLLING = { version: '1.3.0', rollout: { soak_ms: 0 } };

interface Asking {
  readonly ids: readonly string[];
  readonly others: readonly string[];
  readonly api: (path: string) => Promise<string>;
  readonly page: (path: string) => Promise<string>;
  readonly run: (...args: readonly string[]) => Promise<readonly string[]>;
}

type Said = [name: string, said: unknown][];

/** All queries of the HTTP API. */
async function fromApi({ ids, api }: Asking): Promise<Said> {
  const counts = JSON.parse(await api('/v1/fleet'));
  if (counts.machines < ids.length) throw new WrongAnswer(`/v1/fleet: ${counts.machines} machines`);
  const said: Said = [];
  for (const query of ['', '&module=acme:lidar', '&stuck=true', '&version=1.2.9']) {
    const rows = await machineRows(api, query);
    said.push([`machines${query}`, rows.filter(({ id }) => ids.includes(id))]);
  }
  const states = await moduleStates(api);
  const own = ids.map((id) => states.find(({ machines }) => machines.includes(id))?.state);
  said.push(['states', own]);
  await api('/v1/fleet/modules/acme/arm');
  await api('/v1/fleet/rollouts');
  await api(`${LIDAR}/releases/1.3.0/rollout`);
  return said;
}

type MachineRow = { readonly id: string };

async function machineRows(api: Asking['api'], query: string): Promise<MachineRow[]> {
  const rows: MachineRow[] = [];
  let after: string | undefined = '';
  while (after !== undefined) {
    const text = await api(`/v1/fleet/machines?limit=1000&after=${after}${query}`);
    const { machines, next } = JSON.parse(text) as { machines: MachineRow[]; next?: string | null };
    rows.push(...machines);
    const isLast = next === undefined ? machines.length < 1000 : next === null;
    after = isLast ? undefined : (machines.at(-1)?.id ?? undefined);
  }
  return rows;
}

interface StateRow {
  readonly state: unknown;
  readonly machines: readonly string[];
}

async function moduleStates(api: Asking['api']): Promise<StateRow[]> {
  const rows: StateRow[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const text = await api(`/v1/fleet/modules/acme/lidar?after=${after}`);
    const { states, next } = JSON.parse(text) as { states: StateRow[]; next: number | null };
    rows.push(...states);
    after = next;
  }
  return rows;
}

/** All commands about a fleet. */
async function fromCommands({ ids, run }: Asking): Promise<Said> {
  await run('fleet', 'status');
  await run('fleet', 'status', '--json');
  await run('fleet', 'machines', '--limit', '100000');
  const { machines } = JSON.parse(
    (await run('fleet', 'machines', '--limit', '100000', '--json'))[0] ?? '',
  );
  const said: Said = [
    ['fleet machines', machines.filter(({ id }: MachineRow) => ids.includes(id))],
  ];
  await run('fleet', 'what-if', 'acme:lidar', '1.4.0');
  for (const version of ['1.3.0', '1.4.0']) {
    const [line = ''] = await run('fleet', 'what-if', 'acme:lidar', version, '--json');
    const { groups } = JSON.parse(line) as { groups: WhatIfGroup[] };
    const own = ids.map((id) => {
      const { machines: _machines, ...group } =
        groups.find((one) => one.machines?.includes(id)) ?? {};
      return group;
    });
    said.push([`fleet what-if ${version}`, own]);
  }
  return said;
}

interface WhatIfGroup {
  readonly machines?: readonly string[];
}

/** All pages of the site. */
async function fromPages({ ids, others, page }: Asking): Promise<Said> {
  const said: Said = [];
  for (const query of ['', '?condition=stuck', '?condition=behind', '?module=acme:lidar']) {
    await page(`/${query}`);
  }
  for (const id of ids) {
    // The place of a machine in a rollout depends on a random salt.
    const shown = (await page(`/machines/${id}`)).replaceAll(/cohort 0\.\d+/g, 'cohort');
    said.push([`page of ${id}`, shown]);
    const list = await page(`/?id=${id}`);
    said.push([
      `row of ${id}`,
      new RegExp(`<tr[^>]*>(?:(?!</tr>).)*${id}.*?</tr>|${id}`, 's').exec(list)?.[0],
    ]);
  }
  for (const id of others) await page(`/machines/${id}`);
  await page('/wall');
  await page('/modules');
  await page('/modules/acme:lidar');
  await page('/modules/acme:lidar/what-if?version=1.4.0');
  await page('/rollouts');
  await page('/rollouts/acme:lidar/1.3.0');
  await page('/rollouts/acme:lidar/1.3.0/raise');
  return said;
}

async function command(
  app: Hono,
  token: string,
  args: readonly string[],
): Promise<readonly string[]> {
  const world = { clock: () => NOW, environment: { MODREG_TOKEN: token } };
  const { stdout, stderr, exit } = await answeredBy(
    async (request) => await app.fetch(request),
    async () => await printed([...args, '--registry', ADDRESS], world),
  );
  const name = args.join(' ');
  if (exit !== 0) throw new WrongAnswer(`${name} exits with ${exit}: ${stderr.join('\n')}`);
  const odd = args.includes('--json') ? undefined : stdout.find((line) => !isOneLine(line));
  if (odd !== undefined) throw new WrongAnswer(`${name} printed ${JSON.stringify(odd)}`);
  return stdout;
}
