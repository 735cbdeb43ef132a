import type { Remedy } from '../core/plan/remedy.ts';

/** What a person can do with the links of a card (D468); a version in quarantine has a link of its own. */
const WORDS: Readonly<Partial<Record<Remedy, string>>> = {
  failing: 'See its logs, or roll it back.',
  'failing-alone': 'See its logs.',
  machine: 'To find out more, run modreg doctor on the machine.',
  registry: 'To find out more, run modreg doctor on the machine.',
  held: 'To begin it now, end the hold.',
  'held-and-waits': 'To begin it now, end the hold, and choose Upgrade now.',
  waits: 'To begin it now, choose Upgrade now.',
  'restart-waits': 'To restart it now, choose Restart.',
  yanked: 'To replace it, change its version or roll it back.',
};

/** The same as a sentence; undefined if nothing is to be done. */
export function remedyWords(remedy: Remedy | undefined): string | undefined {
  return remedy && WORDS[remedy];
}
