import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleId } from '../../../src/core/index.ts';
import type { Clock } from '../../../src/registries/index.ts';
import { registryApp } from '../../../src/server/app.ts';
import { changeFeed } from '../../../src/server/catalogue/change-feed.ts';
import { Catalogue, readRelease } from '../../../src/server/index.ts';
import { withDefaults } from '../../../src/server/registry-options.ts';
import {
  digestOf,
  key,
  role,
  signed,
  trustOf,
  type TestKey,
  type TestRelease,
  type TestTrust,
} from '../../support/signed.ts';
import { printOf, type Books, type Needs } from './books.ts';
import { restfulFeed, type Work } from './work.ts';

/** The modules of the machine, and who signs them. */
export const MODULES = {
  'acme:lidar': { name: 'lidar', role: 'acme' },
  'duo:arm': { name: 'arm', role: 'duo' },
  'nimbus:gps': { name: 'gps', role: '*' },
  'platform:agent': { name: 'platform-agent', role: 'platform' },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly role: string }>>;

export type Module = keyof typeof MODULES;
export const MODULE_IDS: readonly Module[] = Object.keys(MODULES) as Module[];
type RoleName = (typeof MODULES)[Module]['role'];

export const REGISTRY = 'https://registry.example';
export const FILES = 'https://files.example';
export const EXPIRES = '2027-11-27T00:00:00Z';

/** An answer on its way. */
export interface Passed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A release as it is in a list. */
export type Listed = TestRelease & {
  readonly yanked?: string | null;
  readonly signatures?: Readonly<Record<string, string>>;
};

/** The registry of a site, its authors, and the server with their files. All of it is honest. */
export interface Site {
  readonly pin: string;
  /** The answer of the registry. */
  readonly ask: (request: Request) => Promise<Passed>;
  /** The content of each file by its address. */
  readonly files: ReadonlyMap<string, string>;
  /** The names of the keys that sign, by role. */
  readonly signers: (of: RoleName | 'registry') => readonly string[];
  /** Publishes the next version of a module, signed by enough keys of its namespace. */
  readonly publish: (moduleId: Module) => string;
  readonly yank: (moduleId: Module, version: string, isSigned: boolean) => void;
  /** Notes what the registry has of a module, after a change by somebody else. */
  readonly note: (moduleId: Module) => void;
  readonly releases: (moduleId: Module) => readonly Listed[];
  /** The highest version that its authors published and nobody yanked. */
  readonly best: (moduleId: Module) => string | undefined;
  /** Replaces the keys of a role by another version of the trust document, and signs again what the old ones signed. */
  readonly rotate: (of: RoleName | 'registry') => void;
  /** The number of the newest trust document. */
  readonly trustVersion: () => number;
  /** The text of a token that may publish for all namespaces, and yank. */
  readonly token: string;
  readonly close: () => void;
}

/** A release whose file has this content, and the content under its address. */
export function releaseOf(
  version: string,
  { content, at }: { readonly content: string; readonly at: number },
): TestRelease & { readonly artifacts: NonNullable<TestRelease['artifacts']> } {
  const digest = digestOf(content);
  const url = `${FILES}/${digest.slice(-12)}`;
  return {
    version,
    published_at: new Date(at - (at % 1000)).toISOString().replace('.000Z', 'Z'),
    artifacts: [{ platform: 'linux/arm64', url, digest, size: content.length }],
  };
}

export function numberOf(version: string): number {
  return Number(version.split('.')[1]);
}

const THRESHOLD: Readonly<Record<RoleName, number>> = { acme: 1, duo: 2, '*': 1, platform: 1 };

export function siteOf(
  { clock, work }: { readonly clock: Clock; readonly work: Work },
  seed: number,
  books: Books,
): Site {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-attacks-'));
  const path = join(folder, 'registry.db');
  const generations: Record<RoleName | 'registry', number> = {
    acme: 1,
    duo: 1,
    '*': 1,
    platform: 1,
    registry: 1,
  };
  const files = new Map<string, string>();
  const names = (of: RoleName | 'registry'): string[] => {
    const count = of === 'registry' ? 1 : THRESHOLD[of];
    return Array.from({ length: count }, (_, number) => nameOfKey(of, generations[of], number));
  };
  const needs = (): Needs =>
    Object.fromEntries(
      Object.entries(THRESHOLD).map(([of, threshold]) => [
        of,
        { threshold, keys: names(of as RoleName) },
      ]),
    );
  let version = 0;
  const document = (): TestTrust => {
    version++;
    const roles = Object.entries(THRESHOLD).map(([of, threshold]) =>
      role(`namespace ${of}`, threshold, ...keysOf(names(of as RoleName))),
    );
    const lines = [role('registry', 1, ...keysOf(names('registry'))), ...roles];
    writeKey(path, names('registry'));
    books.noteNeeds(needs());
    return trustOf(lines, [key('root one')], { version, expires: EXPIRES });
  };
  const catalogue = new Catalogue(path, { mode: 'create' });
  const first = document();
  catalogue.trust.store(first.text);
  const feed = restfulFeed(changeFeed(catalogue, clock), work);
  const app = registryApp(catalogue, feed, withDefaults('siteOf()', { clock, spreadMs: 0 }));
  const noteTruth = (moduleId: Module): void => {
    const print = printOf(
      listIn(catalogue, moduleId).map(({ version: text, artifacts = [], yanked }) => ({
        version: text,
        digests: artifacts.map(({ digest }) => digest),
        yanked: yanked ?? undefined,
      })),
    );
    books.noteTruth(moduleId, { at: clock.monotonic(), print });
  };
  const publishAs = (moduleId: Module, release: TestRelease, content: string): void => {
    const by = names(MODULES[moduleId].role);
    for (const name of by) books.noteSigned({ moduleId, version: release.version, content }, name);
    const read = readRelease(signed(moduleId, release, ...keysOf(by)));
    if (!read.ok) throw new Error(read.error.join('; '));
    const result = catalogue.publish(moduleId as string as ModuleId, read.value, clock.now());
    if (result !== 'published' && result !== 'signed') throw new Error(`${moduleId}: ${result}`);
    noteTruth(moduleId);
  };
  const token = catalogue.createToken({ name: 'ci', scopes: ['publish', 'yank'] }, clock.now());
  if (!token.ok) throw new Error(token.error);
  const contents = new Map<string, string>();
  return {
    pin: first.pin,
    files,
    token: token.value.token,
    signers: names,
    trustVersion: () => version,
    note: noteTruth,
    releases: (moduleId) => listIn(catalogue, moduleId),
    best: (moduleId) =>
      listIn(catalogue, moduleId)
        .filter(({ version: text, yanked }) => {
          return (yanked ?? undefined) === undefined && contents.has(`${moduleId} ${text}`);
        })
        .toSorted((a, b) => numberOf(a.version) - numberOf(b.version))
        .at(-1)?.version,
    async ask(request) {
      const answer = await app.fetch(request);
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: await answer.text(),
      };
    },
    publish(moduleId) {
      const numbers = listIn(catalogue, moduleId).map((one) => numberOf(one.version));
      const next = `1.${Math.max(0, ...numbers) + 1}.0`;
      const content = `#!/bin/sh\necho ${moduleId} ${next} of seed ${seed}, good\n`;
      const release = releaseOf(next, { content, at: clock.now() });
      files.set(release.artifacts[0]?.url ?? '', content);
      contents.set(`${moduleId} ${next}`, content);
      publishAs(moduleId, release, content);
      return next;
    },
    yank(moduleId, yanked, isSigned) {
      const reason = 'stops the motor';
      const text = `modreg/yank@1\n${moduleId}\n${yanked}\n${JSON.stringify(reason)}\n`;
      const by = isSigned ? names(MODULES[moduleId].role) : [];
      for (const name of by) books.noteYankSigned({ moduleId, version: yanked }, name);
      const signatures = Object.fromEntries(keysOf(by).map((one) => [one.id, one.sign(text)]));
      catalogue.apply({
        kind: 'yank',
        moduleId: moduleId as string as ModuleId,
        version: yanked,
        reason,
        now: clock.now(),
        ...(isSigned && { signatures }),
      });
      noteTruth(moduleId);
    },
    rotate(of) {
      generations[of]++;
      const next = document();
      const stored = catalogue.trust.store(next.text);
      if (!stored.ok) throw new Error(stored.error);
      for (const moduleId of MODULE_IDS.filter((one) => MODULES[one].role === of)) {
        for (const { yanked, signatures: _, ...release } of listIn(catalogue, moduleId)) {
          const content = contents.get(`${moduleId} ${release.version}`);
          if (content !== undefined && (yanked ?? undefined) === undefined)
            publishAs(moduleId, release, content);
        }
      }
    },
    close() {
      feed.close();
      catalogue.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nameOfKey(of: string, generation: number, number: number): string {
  return `${of} ${generation}.${number + 1}`;
}

export function keysOf(names: readonly string[]): readonly TestKey[] {
  return names.map((name) => key(name));
}

function writeKey(path: string, [name = '']: readonly string[]): void {
  const pem = key(name).privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(`${path}-key`, pem, { mode: 0o600 });
}

function listIn(catalogue: Catalogue, moduleId: Module): readonly Listed[] {
  const document = catalogue.document(moduleId as string as ModuleId);
  if (!document) return [];
  // A cast: the registry wrote it.
  return (JSON.parse(Buffer.from(document.bytes).toString()) as { releases: readonly Listed[] })
    .releases;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
