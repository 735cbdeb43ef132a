import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { page, ROOT, type Page } from './pages.ts';

const TYPEDOC = join(ROOT, 'tools/site/node_modules/typedoc/bin/typedoc');

/** The entry points of the package by their folders in dist: `core` is `modreg`, `store` is `modreg/store`. */
function entryPoints(): { folder: string; types: string; name: string }[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === 'string') return [];
    const folder = entry.types.split('/')[2] ?? '';
    return [{ folder, types: join(ROOT, entry.types), name: path.replace('.', 'modreg') }];
  });
}

const OPTIONS = {
  plugin: ['typedoc-plugin-markdown'],
  readme: 'none',
  disableSources: true,
  treatWarningsAsErrors: true,
  logLevel: 'Warn',
  outputFileStrategy: 'modules',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideModifiers: true },
};

/** A page for each entry point, from the declarations that the package publishes: `npm run build` writes them. */
export function apiPages(): Page[] {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-api-'));
  try {
    const tsconfig = join(folder, 'tsconfig.json');
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024'],
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const entries = entryPoints();
    const files = entries.map(({ types }) => types);
    writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files }));
    const out = join(folder, 'out');
    const options = join(folder, 'typedoc.json');
    writeFileSync(options, JSON.stringify({ ...OPTIONS, tsconfig, out, entryPoints: files }));
    execFileSync(process.execPath, [TYPEDOC, '--options', options], {
      cwd: join(ROOT, 'tools/site'),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const written = readdirSync(out);
    return entries.map(({ folder: name, name: title }) => {
      if (!written.includes(`${name}.md`)) throw new Error(`typedoc wrote no page of ${title}`);
      const text = readFileSync(join(out, `${name}.md`), 'utf8');
      return page(`docs/api/${name}.md`, text.replace(/^# .*$/m, `# ${title}`));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
