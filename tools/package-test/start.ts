/* Tests the package: `npm run test:package`, and `-- node26` or `-- reproducible`. */
import { runNamed } from '../options.ts';

await runNamed({
  '': async () => await import('./run.ts'),
  node26: async () => await import('./on-node-26.ts'),
  reproducible: async () => await import('./reproducible.ts'),
});
