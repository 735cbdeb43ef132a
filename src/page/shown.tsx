import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { moduleRows } from './module-row.ts';
import type { PageProblem } from './page-problem.ts';
import type { MachineView } from './paged-machine.ts';
import { Freshness } from './views/freshness.tsx';
import {
  ModuleItem,
  MOST_CARDS,
  Problems,
  rowId,
  Summary,
  type Shown,
} from './views/modules-view.tsx';

/** What the page shows of a machine. */
export function shownOf(view: MachineView): Shown {
  const rows = moduleRows(view);
  const shape = rows.length > MOST_CARDS ? 'row' : 'card';
  const modules = rows.map(
    (row) => [rowId(row), htmlOf(<ModuleItem row={row} shape={shape} />)] as const,
  );
  return {
    parts: new Map([
      ['freshness', htmlOf(<Freshness view={view} />)],
      ['summary', htmlOf(<Summary view={view} rows={rows} />)],
      ['problems', htmlOf(<Problems problems={view.problems} />)],
      ...modules,
    ]),
    order: modules.map(([id]) => id),
    shape,
    version: hashOf(modules.map(([, text]) => text)),
  };
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

function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('base64url').slice(0, 12);
}
