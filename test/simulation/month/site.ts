import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleId } from '../../../src/core/index.ts';
import type { Clock } from '../../../src/registries/index.ts';
import { signedConfigText } from '../../../src/registry/trust/config-signatures.ts';
import { registryApp } from '../../../src/server/app.ts';
import { backUp } from '../../../src/server/backup/backup.ts';
import { restore } from '../../../src/server/backup/restore.ts';
import { changeFeed } from '../../../src/server/catalogue/change-feed.ts';
import type { CommandWish, StoredCommand } from '../../../src/server/commands/command-table.ts';
import type { MachineAnswer, StoredRevision } from '../../../src/server/configs/config-table.ts';
import { Catalogue, readRelease } from '../../../src/server/index.ts';
import { withDefaults } from '../../../src/server/registry-options.ts';
import {
  APPROVER,
  AUTHOR,
  digestOf,
  role,
  signed,
  trustOf,
  type TestTrust,
} from '../../support/signed.ts';
import { tokenFor } from '../../support/token.ts';
import { restfulFeed, type Work } from '../attacks/work.ts';

export const REGISTRY = 'https://site.example';
export const MACHINE = 'rover-7';
/** Keys of authors and of operators do not expire in a month. */
const TRUST: TestTrust = trustOf([
  role('namespace acme', 1, AUTHOR),
  role('operator', 1, APPROVER),
]);

const MEMORY = '/dev/shm';

/** A new folder, in memory where the system has such a place: no play loses its power, and each commit waits for a disk. */
export function quickFolder(): string {
  return mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'modreg-month-'));
}

/** Documents of the machine as a person writes them. */
interface Documents {
  readonly config: string;
  readonly policy: string | undefined;
}

/** The registry of a site with its SQLite file, and the people who use it. */
export interface Site {
  /** What the policy of a machine with a pin says of `trust`. */
  readonly pin: string;
  /** The token of the machine. */
  readonly token: string;
  /** The answer of the registry; rejects while it is down. */
  readonly ask: (request: Request) => Promise<Response>;
  /** Asks as a person who edits documents. */
  readonly edit: (method: string, path: string, body?: object) => Promise<unknown>;
  readonly publish: (moduleId: string, version: string) => void;
  /** Stores the next revision, as who has the file of the registry can: nothing checks it. Its number. */
  readonly save: (documents: Documents) => number;
  /** Operators sign the newest revision. */
  readonly sign: () => void;
  readonly give: (wish: Omit<CommandWish, 'machine' | 'author' | 'at'>) => number | undefined;
  readonly newest: () => StoredRevision | undefined;
  readonly answer: () => MachineAnswer | undefined;
  readonly commands: () => readonly StoredCommand[];
  readonly backUp: () => Promise<void>;
  /** Ends the process of the registry, and starts it with the backup, if there is one. */
  readonly restore: () => boolean;
  /** Ends the process of the registry, and starts another. */
  readonly restart: () => void;
  readonly close: () => void;
}

interface Surroundings {
  readonly clock: Clock;
  readonly work: Work;
  /** The timer of the process: what watches the file of the registry is no time of the machine. */
  readonly setInterval: typeof globalThis.setInterval;
}

export function siteAt(surroundings: Surroundings): Site {
  const { clock } = surroundings;
  const folder = quickFolder();
  const path = join(folder, 'registry.db');
  let isBackedUp = false;
  new Catalogue(path, { mode: 'create' }).close();
  let running = started(path, surroundings);
  const { catalogue: first } = running;
  first.trust.store(TRUST.text);
  const token = tokenFor(first, [`machine:${MACHINE}`], MACHINE);
  const editor = tokenFor(first, ['config'], 'ops');
  const end = (): void => {
    running.feed.close();
    running.catalogue.close();
  };
  const configs = (): Catalogue['configs'] => running.catalogue.configs;
  return {
    pin: TRUST.pin,
    token,
    ask: async (request) => await running.app.fetch(request),
    async edit(method, at, body) {
      const headers = { authorization: `Bearer ${editor}`, 'content-type': 'application/json' };
      const content = body && { body: JSON.stringify(body) };
      const request = new Request(`${REGISTRY}${at}`, { method, headers, ...content });
      return await (await running.app.fetch(request)).json();
    },
    publish(moduleId, version) {
      const published_at = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
      const digest = digestOf(`${moduleId} ${version}`);
      const artifacts = [
        { platform: 'linux/arm64', url: `${REGISTRY}/files/${digest.slice(-12)}`, digest, size: 9 },
      ];
      const release = readRelease(signed(moduleId, { version, published_at, artifacts }, AUTHOR));
      if (!release.ok) throw new Error(release.error.join('; '));
      running.catalogue.publish(moduleId as ModuleId, release.value, clock.now());
    },
    save(documents) {
      const result = configs().save({
        machine: MACHINE,
        basedOn: configs().newest(MACHINE)?.revision ?? 0,
        ...documents,
        author: 'alice',
        reason: 'a test',
        at: clock.now(),
      });
      if (result.kind === 'stale' || result.kind === 'moved')
        throw new Error(`revision ${result.newest} is newer`);
      return result.revision;
    },
    sign() {
      const newest = configs().newest(MACHINE);
      if (!newest) return;
      const signature = APPROVER.sign(signedConfigText('acme-plant', newest));
      const signatures = { [APPROVER.id]: signature };
      running.catalogue.apply({ kind: 'config-signatures', ...newest, signatures });
    },
    give(wish) {
      const about = { machine: MACHINE, author: 'token t1 (ops)', at: clock.now() };
      const result = configs().commands.give({ ...about, ...wish });
      return result.kind === 'full' ? undefined : result.command.number;
    },
    newest: () => configs().newest(MACHINE),
    answer: () => configs().answer(MACHINE),
    commands: () => configs().commands.all(MACHINE),
    async backUp() {
      const { kind } = await backUp(path, join(folder, 'backup'), clock.now());
      if (kind !== 'done') throw new Error(`the backup is ${kind}`);
      isBackedUp = true;
    },
    restore() {
      if (!isBackedUp) return false;
      end();
      const { kind } = restore(join(folder, 'backup'), path, { replaces: true, now: clock.now() });
      if (kind !== 'done') throw new Error(`the restore is ${kind}`);
      running = started(path, surroundings);
      return true;
    },
    restart() {
      end();
      running = started(path, surroundings);
    },
    close() {
      end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Running {
  readonly catalogue: Catalogue;
  readonly feed: ReturnType<typeof changeFeed>;
  readonly app: ReturnType<typeof registryApp>;
}

function started(path: string, { clock, work, setInterval }: Surroundings): Running {
  const catalogue = new Catalogue(path, { mode: 'write' });
  const virtual = globalThis.setInterval;
  globalThis.setInterval = setInterval;
  const feed = restfulFeed(changeFeed(catalogue, clock), work);
  globalThis.setInterval = virtual;
  const app = registryApp(catalogue, feed, withDefaults('siteAt()', { clock, spreadMs: 0 }));
  return { catalogue, feed, app };
}
