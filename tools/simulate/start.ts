/* Simulates machines: `npm run simulate`, staged rollouts of a fleet: `npm run simulate -- rollout`, and attacks: `npm run simulate -- attacks`. */
import { runNamed } from '../options.ts';

await runNamed({
  '': async () => await import('./run.ts'),
  rollout: async () => await import('./rollouts.ts'),
  attacks: async () => await import('./attacks.ts'),
});
