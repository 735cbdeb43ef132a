/* Simulates machines: `npm run simulate`, and staged rollouts of a fleet: `npm run simulate -- rollout`. */
import { runNamed } from '../options.ts';

await runNamed({
  '': async () => await import('./run.ts'),
  rollout: async () => await import('./rollouts.ts'),
});
