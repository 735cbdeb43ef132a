import { shownWord } from '../../core/plan/waiting-for-age.ts';
import type { MachineMemory } from '../../core/plan/machine-memory.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { deployedYank, isReported } from '../../host/machine-row.ts';
import { commandName } from '../../host/remedies.ts';
import { shellWord } from '../../base/shell-word.ts';
import { YANKED } from '../../core/explanation/shown-decision.ts';
import { describeYanked } from '../../core/explanation/words.ts';
import { openLine } from '../../host/open-action.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { findingsOf, firstFindings, type Finding } from './finding.ts';
import type { MachineFacts } from './machine-facts.ts';

const { ok, info, warning } = findingsOf('releases');

/** What the machine refuses, and what keeps failing on it. */
export function checkReleases(
  { memory, decisions }: Pick<MachineFacts, 'memory' | 'decisions'>,
  now: number,
): Finding[] {
  const findings = [
    ...firstFindings(failing(memory, now), 'modreg status shows all'),
    ...firstFindings(stuck(decisions, memory), 'modreg status shows all'),
    ...firstFindings(yanked(decisions, memory), 'modreg status shows all'),
    ...firstFindings(quarantined(memory, now), 'modreg quarantine list shows all'),
  ];
  return findings.length > 0 ? findings : [ok('no release is in quarantine, and no action fails')];
}

function failing({ open }: MachineMemory, now: number): Finding[] {
  return open.flatMap((one) =>
    one.failures === 0
      ? []
      : [warning(openLine(one, now), `modreg why ${excerpt(one.action.target.name)}`)],
  );
}

/** Decisions that nothing changes until somebody does. */
function stuck(decisions: readonly LoggedDecision[], memory: MachineMemory): Finding[] {
  return decisions.flatMap((one) => {
    if (shownWord(one) !== 'stuck' || !isReported(one, memory)) return [];
    const found = `${excerpt(one.name)} is stuck: ${excerpt(one.reason, 400)}`;
    return [warning(found, `modreg why ${excerpt(one.name)}`)];
  });
}

/** What is deployed, was yanked and stays, in the words of its headline (D409). */
function yanked(decisions: readonly LoggedDecision[], memory: MachineMemory): Finding[] {
  return decisions.flatMap((one) => {
    const yank = deployedYank(one, memory);
    if (shownWord(one) !== YANKED || !yank) return [];
    const { version, because, stays = 'stays' } = yank;
    const found = `${excerpt(one.name)}: ${excerpt(version)} is ${describeYanked(because)}; it ${stays}`;
    const name = commandName(one);
    const replacing = `modreg set ${shellWord(name)} VERSION, or modreg rollback ${shellWord(name)}`;
    // The constraint of a subsystem is no entry of the machine config.
    return [warning(found, one.kind === 'module' ? replacing : `modreg why ${excerpt(one.name)}`)];
  });
}

function quarantined({ quarantine }: MachineMemory, now: number): Finding[] {
  return quarantine.flatMap(({ moduleId, version, since, until, reason, rolledBack }) => {
    if (until !== undefined && until <= now) return [];
    const found = `${moduleId} ${excerpt(version)} is refused since ${formatTime(since)}: ${excerpt(reason)}`;
    const fix = `modreg why ${moduleId}; modreg quarantine lift ${moduleId} ${excerpt(version)} allows it again`;
    // An operator has rolled it back, and knows.
    return [rolledBack ? info(found, fix) : warning(found, fix)];
  });
}
