import { page, type Page } from './pages.ts';

const INTRODUCTION = `# All rows

Every case that modreg decides (D), every fault (T, A for the agent), and what always holds (I, L, R), in one table. The rules around them are on the pages
[Decision table](decision-table.md) and [Faults and invariants](faults.md), to which the ids lead.

<div id="filter"></div>

`;

interface Row {
  readonly id: string;
  readonly cells: readonly string[];
}

/** A row is `- **id**: case`, with what happens in the line below; an invariant has only its first line. */
function rowsOf({ text }: Page): Row[] {
  return Array.from(
    text.matchAll(/^- \*\*([ADILRT]\d+)\*\*: (.*)(?:\n {2}- (?:outcome|must happen): (.*))?$/gm),
    ([, id = '', what = '', then]) => ({
      id,
      cells: (then === undefined ? ['always', what] : [what, then]).map((cell) =>
        cell.replaceAll('|', '\\|'),
      ),
    }),
  );
}

/** One table with every row of these pages, which are in one folder. Code and tests are left out. */
export function rowsPage(pages: readonly Page[]): Page {
  const lines = pages.flatMap((from) =>
    rowsOf(from).map(({ id, cells }) => {
      const file = from.source.split('/').at(-1) ?? '';
      return `| [${id}](${file}#${id}) | ${cells.join(' | ')} |`;
    }),
  );
  const references = pages.flatMap(({ text }) => text.match(/^\[.+\]: \S+$/gm) ?? []);
  const table = ['| id | case | what happens |', '| --- | --- | --- |', ...lines].join('\n');
  return page('docs/design/rows.md', `${INTRODUCTION}${table}\n\n${references.join('\n')}\n`);
}
