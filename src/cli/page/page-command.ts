import { pageApp } from '../../page/app.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { machineOnPage } from '../../page/machine/machine-on-page.ts';
import type { SavedPlanTerms } from '../../host/plan/machine-plan.ts';
import { collectedSoon } from './collected-plan.ts';
import { pageAssets } from './page-assets.ts';
import { machinePage } from './page-identity.ts';
import { readPageTerms, type PageServingOptions } from './page-terms.ts';
import { servePage } from './serve-page.ts';

export type PageCommandOptions = SavedPlanTerms & PageServingOptions;

/** `modreg page <machine.json>`: serves the page of this machine until SIGINT or SIGTERM, or until nobody uses it. */
export async function pageCommand(
  path: string,
  options: PageCommandOptions,
  world: World,
): Promise<Outcome> {
  // Registered first, so that a signal during the start also ends the command.
  const ended = world.untilSignal();
  const terms = readPageTerms(options, world, process.pid);
  if (!terms.ok) return failed(terms.error);
  const identity = machinePage(world);
  if (!identity.ok) return failed(identity.error);
  const appFor: Parameters<typeof servePage>[0]['appFor'] = (access, onError) =>
    pageApp(collectedSoon(machineOnPage(path, options, world)), {
      assets: pageAssets(),
      access,
      onError,
    });
  const page = { terms: terms.value, identity: identity.value, ended, appFor };
  return await servePage(page, options, world);
}
