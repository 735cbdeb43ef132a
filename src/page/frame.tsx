import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { MachineView, PageProblem } from './paged-machine.ts';
import { Layout, type Assets, type Tab } from './views/layout.tsx';
import { Problems } from './views/modules-view.tsx';

type Answer = Response | Promise<Response>;

/** Answers requests with whole pages. */
export interface Frame {
  page(
    c: Context,
    shown: { readonly view: MachineView; readonly title: string; readonly tab: Tab },
    content: Child,
  ): Answer;
  /** The page that says what cannot be shown or done. */
  failed(c: Context, problems: readonly PageProblem[]): Answer;
}

export function frameWith(assets: Assets): Frame {
  return {
    page: (c, { view, title, tab }, content) =>
      answer(
        c,
        <Layout title={title} machine={view.title} tab={tab} assets={assets}>
          {content}
        </Layout>,
      ),
    failed(c, problems) {
      c.status(500);
      return answer(
        c,
        <Layout title="Problem" machine="modreg" assets={assets}>
          <h1>This cannot be shown</h1>
          <Problems problems={problems} />
        </Layout>,
      );
    },
  };
}

function answer(c: Context, page: Child): Answer {
  return c.html(html`<!doctype html>${page}`);
}
