/*
 * Preloaded into a process: when it exits, prints to stderr the modules that it imported or required, by file name,
 * and the packages whose code these files contain.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const urls = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    urls.add(resolved.url);
    return resolved;
  },
});
process.on('exit', () => {
  const files = [...urls].filter((url) => url.startsWith('file:'));
  const builtins = [...urls].filter((url) => !url.startsWith('file:'));
  const packages = files.flatMap((url) => {
    const text = readFileSync(fileURLToPath(url), 'utf8');
    return /(?<=^\/\/ Packages: ).+/.exec(text)?.[0].split(' ') ?? [];
  });
  const found = [...files.map((url) => basename(url)), ...builtins, ...packages];
  process.stderr.write(`loaded: ${found.toSorted().join(' ')}\n`);
});
