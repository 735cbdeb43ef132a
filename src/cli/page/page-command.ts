import { pageApp } from '../../page/app.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { existsAt, readRegularFile, STDIN } from '../../host/document-file.ts';
import { machineOnPage } from '../../page/machine/machine-on-page.ts';
import type { SavedPlanTerms } from '../../host/plan/machine-plan.ts';
import { collectedSoon } from './collected-plan.ts';
import { pageAssets } from './page-assets.ts';
import { machinePage } from './page-identity.ts';
import { PORT_OPTION } from './page-child.ts';
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
  const absent = absentConfig(path, world);
  if (absent) return failed(absent);
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

/**
 * The problem of a machine config that does not exist (D290). The page itself says what is wrong with one that does, and an agent,
 * which can run with the documents that it has kept, starts a page in any case.
 */
function absentConfig(path: string, { environment }: World): Problem | undefined {
  const isOfAgent = environment[PORT_OPTION] !== undefined;
  if (isOfAgent || path === STDIN || existsAt(path)) return undefined;
  const read = readRegularFile(path);
  return read.ok ? undefined : { ...read.error, suggestion: commandLike(path) };
}

/** The command that `word` resembles. A transposed letter counts as two typos, so the hyphen must not count as well. */
function commandLike(word: string): string | undefined {
  const letters = word.replaceAll('-', '');
  const isLike = letters === 'signin' || nearestWord(letters, ['signin']) !== undefined;
  return isLike ? 'modreg page sign-in' : undefined;
}
