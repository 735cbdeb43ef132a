import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { upgradeAfterRound } from '../../host/requests/requested-round.ts';
import { requestUpgrade, type Upgrade } from '../../host/requests/upgrade.ts';
import {
  roundNotes,
  upgradeDocument,
  upgradeLines,
  upgradeNotes,
} from '../../host/requests/upgrade-words.ts';
import { jsonLine } from '../base/answer-json.ts';
import { operatorIn } from '../base/operator.ts';

export interface UpgradeOptions {
  readonly json?: true;
  readonly now?: true;
  readonly despite?: readonly string[];
  readonly reason?: string;
}

/**
 * `modreg upgrade <module>`: reads its list now, and shows what is selected and what holds it. With `--now`, what time and machine
 * hold is not waited for, once.
 */
export async function upgradeCommand(
  named: string,
  { json, now, despite = [], reason }: UpgradeOptions,
  world: World,
): Promise<Outcome> {
  if (now) {
    const wish = { named, despite, reason, by: operatorIn(world) };
    const requested = requestUpgrade(wish, world);
    return requested.ok
      ? shown(requested.value, upgradeNotes(requested.value), json)
      : failed(...requested.error);
  }
  const [option] = [...(despite.length > 0 ? ['--despite'] : []), ...(reason ? ['--reason'] : [])];
  if (option !== undefined) {
    return failed(usage(`${option} is for --now, and --now is missing; nothing was changed`));
  }
  const asked = await upgradeAfterRound(named, world);
  if (!asked.ok) return failed(...asked.error);
  return shown(asked.value, [...roundNotes(asked.value), ...upgradeNotes(asked.value)], json);
}

function shown(upgrade: Upgrade, notes: readonly string[], json: true | undefined): Outcome {
  const answer = json ? [jsonLine(upgradeDocument(upgrade))] : upgradeLines(upgrade);
  return { answer, notes: json ? [] : notes, problems: [] };
}
