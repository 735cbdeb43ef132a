import type { Rollout } from '../../core/rollout/rollout.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { rolloutView } from './rollout-view.ts';

/** How many rollouts are in each state (D210). One that fails is not counted as running. */
export type RolloutNumbers = Readonly<Record<Rollout['status'] | 'failing' | 'damaged', number>>;

/** The rollouts of a catalogue at `now`. Rejects with a DatabaseError. */
export async function rolloutNumbers(
  catalogue: Pick<Catalogue, 'rollouts'>,
  fleet: FleetFile,
  now: number,
): Promise<RolloutNumbers> {
  const { rollouts, damaged } = catalogue.rollouts.all();
  const counts = { running: 0, failing: 0, halted: 0, completed: 0, retracted: 0 };
  for (const named of rollouts) {
    const { status } = named.rollout;
    if (status !== 'running') {
      counts[status] += 1;
      continue;
    }
    const { next } = await fleet.readInSlices((sql) => rolloutView(sql, named, now));
    counts[next.kind === 'wait' && next.because.reason === 'failing' ? 'failing' : 'running'] += 1;
  }
  return { ...counts, damaged: damaged.length };
}
