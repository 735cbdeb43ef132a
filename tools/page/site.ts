import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseModuleId, type ModuleId } from '../../src/core/index.ts';
import { cohort } from '../../src/core/rollout/cohort.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { MOST_NOTES_BYTES } from '../../src/server/catalogue/release-notes.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { machineReport, reportedState } from '../../test/support/machine-report.ts';
import { prose } from '../../test/support/prose.ts';
import { addRecords } from './site-records.ts';
import { processesIn, type PageServer, type Rover } from './rover.ts';

/** A registry to which machines report, and the processes that were started on it. */
export interface Site extends Pick<Rover, 'folder' | 'start'> {
  readonly path: string;
}

const MODULES = ['arm', 'base', 'camera', 'gps', 'gripper', 'imu', 'lidar', 'slam'];
/** Machines that differ; the others report the same as one of them. */
const DIFFERENT = 100;
const DAY = 86_400_000;

/** A reason that must stay a text. */
const HOSTILE = '<img src=x onerror="window.hasRun = 1"></td></table><script>hasRun = 1</script>';

function idOf(name: string): ModuleId {
  const id = parseModuleId(`acme:${name}`);
  if (!id.ok) throw new Error(id.error.message);
  return id.value;
}

const SALT = 'salt';
const SHARE = 0.3;

function nameOf(place: number): string {
  return `rover-${`${place}`.padStart(2, '0')}`;
}

/** The first machine of the step that does not have 1.3.0. */
const FAILED = Array.from({ length: DIFFERENT }, (_none, place) => place)
  .filter((place) => place % 8 !== 0)
  .map(nameOf)
  .find((id) => cohort(id, SALT) < SHARE);

/** Calls `work` with a site of `count` machines, a multiple of 100, and removes it afterwards. */
export async function withSite(count: number, work: (site: Site) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-site-'));
  const { start, end } = processesIn(folder);
  const path = join(folder, 'registry.db');
  try {
    await publish(path);
    await report(path);
    copyMachines(fleetPath(path), count / DIFFERENT);
    await work({ folder, path, start });
  } finally {
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the registry of a site with its page. */
export async function pageOfSite({ folder, path, start }: Site): Promise<PageServer> {
  const options = ['--db', path, '--port', '0'];
  const started = await start(/signing in/, 'registry', 'page', ...options);
  const withCode = readFileSync(join(folder, 'registry-page-address'), 'utf8').trim();
  return { ...started, withCode, url: new URL('/', withCode).href };
}

/** 1.3.0 of the lidar is at 5 %, and the arm has many releases. */
async function publish(path: string): Promise<void> {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const now = Date.now();
  const add = (name: string, ...versions: readonly string[]): void => {
    const releases = versions.map((version) => {
      const release = readRelease({ version });
      if (!release.ok) throw new Error(release.error.join('\n'));
      return release.value;
    });
    catalogue.publishAll(idOf(name), releases, now - 20 * DAY);
  };
  for (const name of MODULES) add(name, '1.2.8', '1.2.9');
  add('arm', ...Array.from({ length: 300 }, (_none, minor) => `2.${minor}.0`));
  add('lidar', '1.3.0');
  catalogue.yank(idOf('camera'), '1.2.8', HOSTILE);
  catalogue.yank(idOf('lidar'), '1.3.0', '');
  const step = { percent: 5, salt: SALT, share: SHARE };
  const event = { kind: 'started', after: 0, at: now, ...step } as const;
  const release = { moduleId: idOf('lidar'), version: '1.3.0' };
  await addRecords(catalogue, { names: MODULES, at: now - DAY });
  catalogue.apply({ kind: 'rollout', ...release, event, soakMs: 3_600_000 });
  catalogue.apply({ kind: 'notes', ...release, notes: prose(1)(MOST_NOTES_BYTES) });
  catalogue.close();
}

/** Of 100 machines, two are stuck, nine wait for an arm, and one failed to install 1.3.0. */
async function report(path: string): Promise<void> {
  const fleet = new FleetFile(fleetPath(path), () => Date.now());
  for (let place = 0; place < DIFFERENT; place++) {
    const modules = MODULES.map((name) => moduleOf(name, place));
    const id = nameOf(place);
    const number = id === FAILED ? [1] : [];
    const state = { ...reportedState(1, ...modules), at: new Date().toISOString() };
    const { outcomes, ...rest } = machineReport(number, { state });
    const result = { to: '1.3.0', result: 'failed', reason: 'motor stalled' } as const;
    const failed = outcomes.map((one) => Object.assign(one, result));
    await fleet.report(id, { ...rest, outcomes: failed });
  }
  fleet.close();
}

function moduleOf(name: string, place: number): Parameters<typeof reportedState>[1] {
  const id = { name: `acme_${name}`, module_id: `acme:${name}`, target: '1.2.9' };
  if (name === 'gripper' && place % 50 === 3) {
    const reason = 'no release satisfies 3.1.*; 5 releases';
    return { ...id, constraint: '3.1.*', target: null, decision: 'stuck', reason };
  }
  if (name === 'camera' && place === 53) {
    return { ...id, target: null, decision: 'stuck', reason: HOSTILE, stops: [HOSTILE] };
  }
  if (name === 'arm' && place % 11 === 0) return { ...id, deployed: '1.2.8', decision: 'hold' };
  if (name === 'lidar' && place % 8 === 0) return { ...id, deployed: '1.3.0', target: '1.3.0' };
  return id;
}

/** Each machine becomes `times` machines: reporting for 100,000 would take longer than the checks. */
function copyMachines(path: string, times: number): void {
  const database = new DatabaseSync(path);
  const copies = `WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${times - 1})`;
  if (times > 1) {
    database.exec(`BEGIN;
      ${copies} INSERT INTO machines (id, name, queue, known_to, missing, state_number, instance, seen_at, duplicate_at,
        platform, modreg) SELECT id + n * ${DIFFERENT}, name || printf('-%04d', n), queue, known_to, missing,
        state_number, instance, seen_at, duplicate_at, platform, modreg FROM machines JOIN copies;
      ${copies} INSERT INTO placements SELECT machine + n * ${DIFFERENT}, kind, name, state FROM placements JOIN copies;
      ${copies} INSERT INTO outcomes SELECT machine + n * ${DIFFERENT}, queue, number, received_at, module_id, version,
        result, content FROM outcomes JOIN copies;
      UPDATE states SET machines = machines * ${times};
      COMMIT`);
  }
  database.close();
}
