import { ALLOWED } from './allowed-imports.ts';

/** The page that has the list. */
export const PAGE = 'docs/design/architecture.md';

const BEGIN = '<!-- imports: node tools/import-list.ts writes this list -->\n';
const END = '<!-- end of imports -->';

/** The page with the list of what each folder may import, between its two comments. */
export function withImportList(page: string): string {
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END, from);
  if (from < BEGIN.length || to < 0)
    throw new Error(`${PAGE} has no "${BEGIN.trim()}" with "${END}"`);
  const lines = Object.entries(ALLOWED).map(([folder, imports]) => {
    const names =
      imports.length === 0 ? 'nothing' : imports.map((name) => `\`${name}\``).join(', ');
    return `- \`src/${folder}\` imports ${names}\n`;
  });
  return `${page.slice(0, from)}\n${lines.join('')}\n${page.slice(to)}`;
}
