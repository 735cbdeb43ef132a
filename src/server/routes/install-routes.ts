import type { Hono } from 'hono';
import {
  indexReleases,
  parsePlatform,
  type Platform,
  type ReleaseIndex,
} from '../../core/index.ts';
import { SUBSYSTEM_MODULES } from '../../core/plan/subsystem.ts';
import { artifactFor } from '../../core/releases/release.ts';
import { resolve } from '../../core/releases/resolve.ts';
import { lazyList } from '../../registry/formats/decoded-list.ts';
import { parseJsonBytes } from '../../registry/formats/json-text.ts';
import { moduleEntries } from '../../registry/formats/module-document.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ModuleDocument } from '../catalogue/module-document.ts';
import { INSTALL_SCRIPT } from './install-script.ts';
import { INSTALL_SH, NEWEST_AGENT } from './module-route.ts';
import { problem } from '../problem.ts';
import type { AppOptions } from './read-routes.ts';

/** Stands for this registry: what it hosts has addresses below it. */
const LIST = new URL('http://registry.invalid/v1/modules/platform/agent');
const HOSTED = new URL('../../artifacts/sha256/', LIST).href;
const AGENT = SUBSYSTEM_MODULES['platform-agent'];
const TEXT = { 'content-type': 'text/plain', 'cache-control': 'no-cache' };

/** Adds the routes that install an agent with curl. Like lists, they need no token. */
export function addInstallRoutes(app: Hono, catalogue: Catalogue, { clock }: AppOptions): void {
  const indexes = new WeakMap<ModuleDocument, ReleaseIndex>();
  const indexOf = (document: ModuleDocument): ReleaseIndex => {
    const known = indexes.get(document);
    if (known) return known;
    const entries = moduleEntries(Object(parseJsonBytes(document.bytes)), AGENT, LIST);
    const index = indexReleases(lazyList(entries, {}).records);
    indexes.set(document, index);
    return index;
  };
  app.get(INSTALL_SH, (c) => c.body(INSTALL_SCRIPT, { headers: TEXT }));
  app.get(NEWEST_AGENT, (c) => {
    const platform = parsePlatform(`${c.req.param('os')}/${c.req.param('cpu')}`);
    if (!platform.ok) return problem('bad-request', platform.error.message);
    const document = catalogue.document(AGENT);
    const newest = document && newestHosted(indexOf(document), platform.value, clock.now());
    if (newest !== undefined) return c.body(`${newest}\n`, { headers: TEXT });
    const detail = `no release of ${AGENT} has a file for ${platform.value} that this registry hosts`;
    return problem('unknown-module', detail);
  });
}

/** The newest release and the sha256 of its file, in one line; undefined if the registry does not host the file. */
function newestHosted(index: ReleaseIndex, platform: Platform, now: number): string | undefined {
  const eligibility = { now, notAfter: now, platform };
  const found = resolve({ kind: 'latest' }, index, eligibility);
  if (found.kind !== 'resolved') return undefined;
  const { url = '' } = artifactFor(found.release, platform) ?? {};
  if (!url.startsWith(HOSTED)) return undefined;
  return `${found.release.version.text} ${url.slice(HOSTED.length)}`;
}
