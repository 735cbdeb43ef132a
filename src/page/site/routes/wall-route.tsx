import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { Result } from '../../../core/index.ts';
import type { PageProblem } from '../../page-problem.ts';
import { statusOf } from '../../problem-answer.ts';
import { Problems } from '../../views/modules-view.tsx';
import { answered, type PagedSite } from '../site-answer.ts';
import { WallPage, type WallAssets } from '../views/wall-page.tsx';
import { WallView } from '../views/wall-view.tsx';
import { WALL_PATH } from '../wall-guests.tsx';

/** The wall, which changes nothing and leads nowhere: who has its link sees no other page. */
export function addWallRoute(app: Hono, site: PagedSite, assets: WallAssets): void {
  app.get(WALL_PATH, async (c) => {
    const shown = await viewOf(site);
    if (!shown.ok) c.status(statusOf(shown.error));
    const content = shown.ok ? shown.value : <Problems problems={shown.error.map(withoutPlaces)} />;
    return await page(c, { site, assets }, content);
  });
}

/** What is wrong, for people who pass the wall: not where the files of the registry are. */
function withoutPlaces({ code }: PageProblem): PageProblem {
  return { code, message: 'the registry cannot be read now; the other pages of its site say more' };
}

async function viewOf(site: PagedSite): Promise<Result<Child, PageProblem[]>> {
  const wall = await answered(() => site.wall());
  if (!wall.ok) return wall;
  const rollouts = await answered(() => site.rollouts());
  if (!rollouts.ok) return rollouts;
  const view = <WallView wall={wall.value} rollouts={rollouts.value} now={site.now()} />;
  return { ok: true, value: view };
}

function page(
  c: Context,
  { site, assets }: { readonly site: PagedSite; readonly assets: WallAssets },
  content: Child,
): Response | Promise<Response> {
  const whole = (
    <WallPage title={site.title} now={site.now()} assets={assets}>
      {content}
    </WallPage>
  );
  return c.html(html`<!doctype html>${whole}`);
}
