import type { Meaning } from './documents.ts';
import type { Judge, Scene } from './judge.ts';

/** The hours of the machine's own maintenance window, in UTC. */
export const WINDOW = { from: 2, to: 6 } as const;

type Complain = Judge['complain'];
type MomentsJudge = Pick<Judge, 'heldHere' | 'freedHere' | 'holds' | 'delivered'>;

/** What waits for a window, and for the end of a hold: it stops what runs. */
const STOPPING: ReadonlySet<string> = new Set(['upgrade', 'downgrade', 'restart']);

interface Surroundings {
  readonly complain: Complain;
  readonly inForce: () => Meaning;
  readonly isUrgent: (name: string) => boolean;
}

/** Judges that nothing stops outside of its window, and that the site does not lift what was held on the machine. */
export function momentsJudge(
  { now, isClockRight }: Scene,
  { complain, inForce, isUrgent }: Surroundings,
): MomentsJudge {
  const held = new Map<string, number>();
  const isHeld = (of: string): boolean => (held.get(of) ?? 0) > now();
  return {
    heldHere: (of, until) => void held.set(of, until),
    freedHere: (of) => void held.delete(of),
    holds(holds) {
      if (!isClockRight()) return;
      for (const of of held.keys()) {
        const isThere = holds.some((one) => one.of === of && one.by === 'ann');
        if (isHeld(of) && !isThere) complain('D299', `the hold of ${of || 'the machine'} is gone`);
      }
    },
    delivered({ name, direction, to }) {
      if (!STOPPING.has(direction) || !isClockRight()) return;
      const words = `${name} is stopped for the ${direction} to ${to}`;
      if (isHeld(name) || isHeld('')) complain('D75', `${words} while it is held`);
      const time = new Date(now());
      const hour = time.getUTCHours();
      const isBlackout = inForce().blackouts.includes(time.toISOString().slice(0, 10));
      const isOpen = hour >= WINDOW.from && hour < WINDOW.to && !isBlackout;
      if (!isOpen && !isUrgent(name)) complain('D25', `${words} at ${time.toISOString()}`);
    },
  };
}
