import { reportedText } from '../../core/explanation/decision-words.ts';
import { targetText } from '../../core/explanation/plan-words.ts';
import type { World } from '../../base/world.ts';
import { labelFor } from '../../host/machine-row.ts';
import { upgradeAfterRound } from '../../host/requests/requested-round.ts';
import { requestUpgrade, upgradeOf } from '../../host/requests/upgrade.ts';
import type { MachineChanges } from '../machine-changes.ts';
import { asBadField, onPage, refused } from '../page-problem.ts';

type Upgrades = Pick<MachineChanges, 'previewUpgrade' | 'askUpgrade' | 'upgrade'>;

/** Replacements at once. Another one than the person saw is not requested (D76, T137). */
export function upgradesOnPage(world: World): Upgrades {
  return {
    previewUpgrade: async (name) => onPage(upgradeOf(name, world)),
    askUpgrade: async (name) => onPage(await upgradeAfterRound(name, world)),
    upgrade: async (wish) => {
      const upgrade = onPage(requestUpgrade(wish, world));
      if (!upgrade.ok) return { ok: false, error: upgrade.error.map(asBadField) };
      if (upgrade.value.isAsSeen) return upgrade;
      const { row, decision } = upgrade.value;
      const deployed = decision && reportedText(decision.input.deployed);
      const to = decision && targetText(decision);
      const change = `${deployed ?? 'none'} → ${to ?? 'none'}`;
      const message = `${labelFor(row)} would be replaced ${change} by now, and the page showed another replacement; nothing was changed`;
      return refused('DEPLOYED_CHANGED', message, {
        hint: 'look at what would happen now, and confirm that',
      });
    },
  };
}
