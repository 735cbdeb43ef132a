import { hostname } from 'node:os';
import { basename } from 'node:path';
import { siteApp } from '../../page/site/site-app.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import { newCodeFor } from '../page/sign-in-command.ts';
import { pageAssets } from '../page/page-assets.ts';
import { sitePage, SITE_PORT } from '../page/page-identity.ts';
import { readPageTerms, type PageServingOptions } from '../page/page-terms.ts';
import { servePage, type ServedPage } from '../page/serve-page.ts';
import { openCatalogue, type CatalogueOptions } from '../../site/catalogue-options.ts';
import { registryLog } from '../base/registry-log.ts';
import type { World } from '../../base/world.ts';
import type { OnChange } from '../../site/on-change.ts';
import { siteOf } from '../../site/site.ts';
import { siteFiles } from '../../site/site-files.ts';

export type SitePageOptions = CatalogueOptions & AnswerOptions & PageServingOptions;

/** Short, because the page answers no request while it waits for the server. */
const BUSY_TIMEOUT_MS = 1000;

/** `modreg registry page`: serves the page of the site whose machines report to this registry, until SIGINT or SIGTERM. */
export async function sitePageCommand(options: SitePageOptions, world: World): Promise<Outcome> {
  // Registered first, so that a signal during the start also ends the command.
  const ended = world.untilSignal();
  const terms = readPageTerms({ port: SITE_PORT, ...options }, world, process.pid);
  if (!terms.ok) return failed(terms.error);
  const opened = openCatalogue(options, world, { mode: 'read', busyTimeoutMs: BUSY_TIMEOUT_MS });
  if (!opened.ok) return failed(opened.error);
  const catalogue = opened.value;
  const files = siteFiles(catalogue, { now: () => world.clock(), busyTimeoutMs: BUSY_TIMEOUT_MS });
  const title = `${hostname()} · ${basename(catalogue.path)}`;
  const log = registryLog(world);
  const onChange: OnChange = (kind, about, by) => log('info', kind, { ...about, by });
  const identity = sitePage(catalogue.path);
  const appFor: ServedPage['appFor'] = (access, onError) =>
    siteApp(
      { ...siteOf(files, onChange), title },
      {
        assets: pageAssets(),
        naming: identity.naming,
        access: { ...access, accounts: catalogue.accounts },
        onError,
      },
    );
  try {
    return await servePage({ terms: terms.value, identity, ended, appFor }, options, world);
  } finally {
    files.close();
    catalogue.close();
  }
}

/** `modreg registry page sign-in`: a new code for the page of this registry. */
export function siteSignInCommand(
  options: CatalogueOptions & AnswerOptions,
  world: World,
): Outcome {
  const opened = openCatalogue(options, world, { mode: 'read' });
  if (!opened.ok) return failed(opened.error);
  opened.value.close();
  return newCodeFor(sitePage(opened.value.path), options, world);
}
