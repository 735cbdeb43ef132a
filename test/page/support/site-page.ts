import type { Hono } from 'hono';
import { expect, onTestFinished } from 'vitest';
import { formatTime } from '../../../src/core/text/rfc3339.ts';
import { parseModuleId, type ModuleId } from '../../../src/core/index.ts';
import type { SiteAssetFiles } from '../../../src/page/assets.ts';
import { siteApp } from '../../../src/page/site/site-app.ts';
import type { OnChange } from '../../../src/site/on-change.ts';
import { siteOf } from '../../../src/site/site.ts';
import { siteFiles } from '../../../src/site/site-files.ts';
import type { MachineReport, ReportedModule } from '../../../src/registry/machine-report.ts';
import { FleetFile, fleetPath } from '../../../src/server/fleet/fleet-file.ts';
import { Catalogue, readRelease } from '../../../src/server/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { machineReport, reportedState } from '../../support/machine-report.ts';

/** A registry with its page, which anybody may use. */
export interface TestSite {
  readonly path: string;
  readonly catalogue: Catalogue;
  readonly app: Hono;
  /** The clock of the site, in milliseconds since the epoch. */
  now: number;
  /** The changes that were made on the page, as they are logged. */
  readonly changes: string[];
  /** How often the machines that report from now on say that they ask, in milliseconds. */
  every?: number;
  readonly publish: (moduleId: string, ...versions: readonly string[]) => void;
  /** A machine reports its modules, and the results of actions. */
  readonly report: (
    machine: string,
    modules: readonly Partial<ReportedModule>[],
    ...outcomes: readonly Partial<MachineReport['outcomes'][number]>[]
  ) => Promise<void>;
  /** How far the clocks of machines are ahead of that of the site, by their ids; the others agree with it. */
  readonly ahead: Map<string, number>;
  /** What machines say of their clocks, by their ids. */
  readonly synchronized: Map<string, boolean>;
  /** The groups that machines report, by their ids. */
  readonly groups: Map<string, string>;
  /** The ids of the machines that report a pin. */
  readonly pinned: Set<string>;
  /** Retires a machine that has reported. */
  readonly retire: (machine: string, by: string) => Promise<void>;
  /** Sends a form; the answer is its status, and the address or the text of the page that follows. */
  readonly post: (
    path: string,
    form: Readonly<Record<string, string>>,
  ) => Promise<readonly [number, string]>;
}

export const NOW: number = Date.parse('2026-11-25T12:00:00Z');
const NO_ASSETS: SiteAssetFiles = { style: '', script: '', wall: '' };
const NAMING = { command: 'modreg registry page' };

export function moduleId(text: string): ModuleId {
  const parsed = parseModuleId(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

export function testSite(assets: SiteAssetFiles = NO_ASSETS): TestSite {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create', busyTimeoutMs: 50 });
  const reader = new Catalogue(path, { mode: 'read' });
  let fleet: FleetFile | undefined;
  const files = siteFiles(reader, { now: () => site.now, busyTimeoutMs: 50 });
  const changes: string[] = [];
  const onChange: OnChange = (kind, about) =>
    changes.push([kind, ...Object.values(about)].join(' '));
  const app = siteApp(
    { ...siteOf(files, onChange), title: 'a site' },
    { assets, naming: NAMING, access: undefined },
  );
  onTestFinished(() => {
    files.close();
    fleet?.close();
    reader.close();
    catalogue.close();
  });
  const numbers = new Map<string, number>();
  let states = 0;
  const site: TestSite = {
    path,
    catalogue,
    app,
    now: NOW,
    changes,
    ahead: new Map(),
    synchronized: new Map(),
    groups: new Map(),
    pinned: new Set(),
    publish(id, ...versions) {
      for (const version of versions) {
        const release = readRelease({ version });
        if (!release.ok) throw new Error(release.error.join('\n'));
        catalogue.publish(moduleId(id), release.value, NOW - 86_400_000);
      }
    },
    async retire(machine, by) {
      expect(await fleet?.retire({ machine, by })).toMatchObject({ machine, by });
    },
    async report(machine, modules, ...outcomes) {
      fleet ??= new FleetFile(fleetPath(path), () => site.now);
      const after = numbers.get(machine) ?? 0;
      const places = outcomes.map((_, place) => after + place + 1);
      const { outcomes: samples, ...report } = machineReport(places, {
        state: {
          ...reportedState(++states, ...modules),
          at: formatTime(site.now + (site.ahead.get(machine) ?? 0)),
          synchronized: site.synchronized.get(machine),
          group: site.groups.get(machine),
          pinned: site.pinned.has(machine) || undefined,
          every_ms: site.every,
        },
        queue: `queue-of-${machine}`,
      });
      const to = after + samples.length;
      numbers.set(machine, to);
      const all = samples.map((sample, place) => Object.assign(sample, outcomes[place]));
      await fleet.report(machine, { ...report, after, to, outcomes: all });
    },
    async post(address, form) {
      const body = new URLSearchParams(form);
      const answer = await app.request(address, { method: 'POST', body });
      return [answer.status, answer.headers.get('location') ?? (await answer.text())];
    },
  };
  return site;
}
