/* Measures a fleet on a cluster, and kills parts of it: `npm run cluster -- storm`, `waiting`, `kills` or `reports`. */
import { runNamed } from '../options.ts';

await runNamed({
  storm: async () => await import('./storm.ts'),
  waiting: async () => await import('./waiting.ts'),
  kills: async () => await import('./kills.ts'),
  reports: async () => await import('./report-rate.ts'),
});
