import { deepStrictEqual } from 'node:assert';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { ANSWERS, PROGRAM } from '../../test/support/browser-bundle.ts';

/** Bundlers for browsers with the fewest options that they need, and what each writes. */
const BUNDLERS = [
  ['npx --no esbuild browser/program.js --bundle --outfile=browser/esbuild/program.js', 'esbuild'],
  ['npx --no rolldown browser/program.js --platform browser --dir browser/rolldown', 'rolldown'],
  ['npx --no vite build browser --logLevel warn --outDir vite', 'vite/assets'],
] as const;

/** What a browser has, as far as these programs use it. Vite adds code that asks whether it preloads modules. */
const BROWSER = {
  TextDecoder,
  TextEncoder,
  URL,
  Uint8Array,
  atob,
  document: { createElement: () => ({ relList: { supports: () => true } }) },
};

/** Bundles a program that decides for a machine in a page, with each bundler, and checks its answers (D347). */
export function checkBrowserBundles(project: string, run: (command: string) => string): void {
  mkdirSync(join(project, 'browser'));
  writeFileSync(join(project, 'browser/program.js'), PROGRAM);
  const page = '<script type="module" src="./program.js"></script>';
  writeFileSync(join(project, 'browser/index.html'), page);
  for (const [command, folder] of BUNDLERS) {
    deepStrictEqual(complaints(run(command)), [], command);
    const [file = ''] = globSync(join(project, 'browser', folder, '*.js'));
    const context: { readonly answers?: string } = createContext({ ...BROWSER });
    runInContext(readFileSync(file, 'utf8'), context);
    deepStrictEqual(JSON.parse(context.answers ?? 'null'), ANSWERS, command);
  }
}

/** What a bundler replaced by nothing, because a browser lacks it. */
function complaints(output: string): string[] {
  return output.split('\n').filter((line) => /externalized|not resolve|warning/i.test(line));
}
