import type { Plan, Result } from '../../core/index.ts';
import { labelOf } from '../../core/explanation/plan-cells.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { writtenVersion } from '../../config/module-version.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { checkedConfig, replaceConfig, shownConfig } from '../../host/config/checked-config.ts';
import {
  fileName,
  type ConfigFile,
  type SavedConfig,
  type SaveOutcome,
} from '../../host/config/config-file.ts';
import {
  changeVersion,
  versionChoices,
  type NoVersion,
} from '../../host/config/version-choices.ts';
import type { SavedPlanTerms } from '../../host/plan/machine-plan.ts';
import type { MachineChanges } from '../machine-changes.ts';
import { asPageProblem, onPage, refused, type PageProblem } from '../page-problem.ts';

type Config = Pick<
  MachineChanges,
  'config' | 'checkConfig' | 'saveConfig' | 'compare' | 'changeVersion'
>;

/** The machine config, and the version types of its modules (T138, T139, T140). */
export function configOnPage(path: string, options: SavedPlanTerms, world: World): Config {
  return {
    config: async () => onPage(shownConfig(path)),
    checkConfig: async (text) => {
      const checked = onPage(await checkedConfig(path, text, options, world));
      if (!checked.ok) return checked;
      const problems = checked.value.problems.map(asPageProblem);
      return { ok: true, value: { ...checked.value, problems } };
    },
    saveConfig: async (change) => {
      const saved = onPage(replaceConfig(path, change, options));
      return saved.ok ? savedOn(path, saved.value, staleConfig) : saved;
    },
    compare: async (name, typed) => {
      const choices = await versionChoices({ name, typed }, path, options, world);
      return choices.ok ? choices : notChanged(path, choices.error);
    },
    changeVersion: async (name, change) => {
      const done = await changeVersion({ name, ...change }, path, options, world);
      if (!done.ok) return notChanged(path, done.error);
      const { value } = done;
      const { row, wanted } = value;
      if (value.kind !== 'deployed-changed') {
        return savedOn(path, value, (now) => staleVersion(row, wanted, now));
      }
      const message = `${labelOf(row)} ${value.running} is deployed by now, and the page showed ${change.deployed}; nothing was changed`;
      return refused('DEPLOYED_CHANGED', message, { hint: 'look at what each type does now' });
    },
  };
}

function savedOn(
  path: string,
  outcome: SaveOutcome,
  stale: (now: ConfigFile) => ReturnType<typeof refused>,
): Result<SavedConfig, PageProblem[]> {
  switch (outcome.kind) {
    case 'saved':
      return { ok: true, value: outcome.saved };
    case 'changed-meanwhile':
      return stale(outcome.now);
    case 'has-errors': {
      const { errors, findings } = outcome.check;
      const because = findings
        .filter(({ severity }) => severity === 'error')
        .map((one) => `${one.line}:${one.column} ${one.code} ${excerpt(one.path)}: ${one.message}`);
      const message = `${fileName(path)} would have ${errors === 1 ? '1 error' : `${errors} errors`}; nothing was changed`;
      return refused('DOCUMENT_HAS_ERRORS', message, { because });
    }
  }
}

function staleConfig({ file }: ConfigFile): ReturnType<typeof refused> {
  return changedMeanwhile(file.path, 'yours', 'make your change in the new text, and save it');
}

/** Both values: that of the file, and the one that was not saved. */
function staleVersion(
  row: Plan['modules'][number],
  wanted: string,
  { file, text }: ConfigFile,
): ReturnType<typeof refused> {
  const written = writtenVersion(text, row.name);
  const found = written ? `its version is ${quote(written.version)} now` : 'it has no version now';
  const yours = `${labelOf(row)}: ${found}, and ${quote(wanted)}`;
  return changedMeanwhile(file.path, yours, 'look at what each type does now, and save again');
}

function changedMeanwhile(path: string, yours: string, hint: string): ReturnType<typeof refused> {
  const message = `${fileName(path)} was changed meanwhile, and that change is kept; ${yours} was not saved`;
  return refused('CHANGED_MEANWHILE', message, { hint });
}

function notChanged(path: string, why: Problem[] | NoVersion): ReturnType<typeof refused> {
  if (!('without' in why)) return { ok: false, error: why.map(asPageProblem) };
  const { without, label } = why;
  if (without === 'local') {
    const message = `${label} is a local module: it has no version that could be changed`;
    return refused('USAGE', message, { hint: 'set its "type" to "registry" in the config' });
  }
  if (without === 'subsystem') {
    const message = `${label} is a subsystem: the agent configuration sets its version with pin_url, pin_version or release_channel`;
    return refused('USAGE', message, { hint: 'edit the config' });
  }
  return refused('UNKNOWN_REFERENCE', `${fileName(path)} has no module entry ${quote(label)}`);
}
