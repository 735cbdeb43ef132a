/* Simulates machines: `npm run simulate`, staged rollouts of a fleet: `npm run simulate -- rollout`, attacks: `npm run simulate -- attacks`, and months of
 a rover that follows its site: `npm run simulate -- month`. */
import { runNamed } from '../options.ts';

await runNamed({
  '': async () => await import('./run.ts'),
  rollout: async () => await import('./rollouts.ts'),
  attacks: async () => await import('./attacks.ts'),
  month: async () => await import('./month.ts'),
});
