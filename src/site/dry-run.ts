import { DatabaseError } from '../sqlite/database-error.ts';
import type { ModuleId, Result } from '../core/index.ts';
import { clockOf, type World } from '../base/world.ts';
import type { PublishedRelease } from '../server/index.ts';
import { withAbsoluteUrls } from '../registry/formats/hosted-artifact.ts';
import { openCatalogue } from './catalogue-options.ts';
import { recordOf } from './described-release.ts';
import { whatIfOf } from './fleet-what-if.ts';
import { effectsIn } from './modules.ts';
import type { PublishOptions } from './publish.ts';
import { siteFiles } from './site-files.ts';
import type { MachinesWithEffect } from './what-if.ts';

/** What the machines that a registry knows would do with a release. */
export interface DryRun {
  readonly isPublished: boolean;
  readonly effects: readonly MachinesWithEffect[];
  /** Why it is not known what requires the module; undefined if it is. */
  readonly unread: string | undefined;
}

/** What a release would do once it is published for all machines, by what they reported to its registry; else why that is not known (D346). */
export async function dryRunOf(
  moduleId: ModuleId,
  release: PublishedRelease,
  options: PublishOptions,
  world: World,
): Promise<Result<DryRun, string>> {
  const { registry } = options;
  if (registry === undefined) return await inFile(moduleId, release, options, world);
  const named = { moduleId, version: release.version };
  const found = await whatIfOf(named, recordOf(release), { registry }, world);
  return found.ok ? found : { ok: false, error: found.error.message };
}

/** By the reports in the files beside a registry's own. */
async function inFile(
  moduleId: ModuleId,
  release: PublishedRelease,
  options: PublishOptions,
  world: World,
): Promise<Result<DryRun, string>> {
  const catalogue = openCatalogue(options, world, { mode: 'read' });
  if (!catalogue.ok) return { ok: false, error: catalogue.error.message };
  const now = (): number => clockOf(world).now();
  const files = siteFiles(catalogue.value, { now, busyTimeoutMs: 0 });
  try {
    // As the list of a file is read: the server of the file hosts what it has of an upload.
    const record = withAbsoluteUrls(recordOf(release), undefined);
    const { isPublished, effects } = await effectsIn(files, moduleId, record);
    return { ok: true, value: { isPublished, effects, unread: undefined } };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return { ok: false, error: error.message };
  } finally {
    files.close();
    catalogue.value.close();
  }
}
