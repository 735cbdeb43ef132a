// Preloaded into a process: prints the imported packages to stderr when it exits.
import { registerHooks } from 'node:module';

const packages = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const name = /(?<=\/node_modules\/)(?:@[^/]+\/)?[^/]+|^node:sqlite$/.exec(resolved.url);
    if (name) packages.add(name[0]);
    return resolved;
  },
});
process.on('exit', () => {
  process.stderr.write(`packages: ${[...packages].join(' ')}\n`);
});
