import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { moduleRows, type ModuleRow } from './module-row.ts';
import type { PageProblem } from './page-problem.ts';
import type { MachineView } from './paged-machine.ts';
import { Freshness } from './views/freshness.tsx';
import { ModuleItem, MOST_CARDS, Problems, Summary, type Shown } from './views/modules-view.tsx';
import { rowId } from './views/module-card.tsx';

/** By view: a page and the feed that keeps it up to date share what is rendered. */
const shownBy = new WeakMap<MachineView, Shown>();

/** What the page shows of a machine. */
export function shownOf(view: MachineView): Shown {
  const shown = shownBy.get(view) ?? render(view);
  shownBy.set(view, shown);
  return shown;
}

function render(view: MachineView): Shown {
  const rows = moduleRows(view);
  const shape = rows.length > MOST_CARDS ? 'row' : 'card';
  const hash = createHash('sha256');
  const modules = rows.map((row) => {
    const text = htmlOf(<ModuleItem row={row} shape={shape} />);
    // Hashed at once: that makes one string of its hundreds of pieces, before the next row has as many.
    hash.update(text);
    return [rowId(row), text] as const;
  });
  return {
    parts: new Map([
      ['freshness', htmlOf(<Freshness view={view} />)],
      ['summary', htmlOf(<Summary view={view} rows={rows} />)],
      ['problems', htmlOf(<Problems problems={problemsBeside(rows, shape, view)} />)],
      ...modules,
    ]),
    order: modules.map(([id]) => id),
    shape,
    version: hash.digest('base64url').slice(0, 12),
  };
}

/** The problems that no card shows. */
function problemsBeside(
  rows: readonly ModuleRow[],
  shape: Shown['shape'],
  { problems }: MachineView,
): readonly PageProblem[] {
  if (shape === 'row') return problems;
  const names = new Set(rows.map(({ name }) => name));
  return problems.filter(({ of }) => of === undefined || !names.has(of));
}

/** What is still known of a machine that could be shown before, and why it cannot be shown now. */
export function shownProblems(problems: readonly PageProblem[], before: Shown | undefined): Shown {
  const parts = new Map(before?.parts);
  parts.set('problems', htmlOf(<Problems problems={problems} />));
  return { order: [], shape: 'card', version: '', ...before, parts };
}

/** No component waits for anything, so that this is a text already; as an object, it would equal no other. */
function htmlOf(element: Child): string {
  const rendered: { toString(): string } = html`${element}`;
  return rendered.toString();
}
