import type { Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { parseVersion } from '../../../core/index.ts';
import type { Frame } from '../../frame.tsx';
import type { PageProblem } from '../../page-problem.ts';
import { formOf } from '../../request-input.ts';
import { changeIn, CHANGES, percentIn } from '../change-form.ts';
import type { NamedRelease } from '../../../site/named-release.ts';
import { authorOf } from '../author.ts';
import { answered, type PagedSite } from '../site-answer.ts';
import type { ShownRollout } from '../../../site/rollouts.ts';
import type { RolloutChange } from '../../../server/rollout/rollout-change.ts';
import { impossible } from '../possible-changes.ts';
import { HaltView, RaiseView, ResumeView, RetractView } from '../views/rollout-changes.tsx';
import { ConflictView, RolloutsView, RolloutView } from '../views/rollouts-view.tsx';
import { rolloutPath } from '../views/site-words.tsx';
import { withModule } from './site-module-routes.tsx';

type Answer = Response | Promise<Response>;

interface Pages {
  readonly site: PagedSite;
  readonly frame: Frame;
}

const ROLLOUT = '/rollouts/:module/:version';

/** The pages of all rollouts and of each, and those that say what a change does, with their forms (T175). */
export function addRolloutRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  const pages = { site, frame };
  app.get('/rollouts', async (c) => {
    const list = await answered(() => site.rollouts());
    if (!list.ok) return await notShown(c, pages, list.error);
    const view = <RolloutsView list={list.value} now={site.now()} />;
    return await answer(c, pages, { title: 'Rollouts', live: 'regular' }, view);
  });
  app.get(ROLLOUT, (c) =>
    withRollout(c, pages, (rollout) => {
      const title = `${rollout.moduleId} ${rollout.version}`;
      const view = <RolloutView rollout={rollout} now={site.now()} />;
      return answer(c, pages, { title, live: 'regular' }, view);
    }),
  );
  addPreviews(app, pages);
  for (const event of CHANGES) {
    app.post(`${ROLLOUT}/${event}`, async (c) => {
      const form = await formOf(c);
      if (!form.ok) return await notShown(c, pages, form.error);
      const change = changeIn(event, form.value);
      return await withRelease(c, pages, (release) =>
        change.ok ? changed(c, pages, release, change.value) : notShown(c, pages, change.error),
      );
    });
  }
}

/** The pages that say what a change does. */
function addPreviews(app: Hono, pages: Pages): void {
  const previews = [
    ['halt', 'Halt', HaltView],
    ['resume', 'Resume', ResumeView],
    ['retract', 'Retract', RetractView],
  ] as const;
  for (const [event, title, View] of previews) {
    app.get(`${ROLLOUT}/${event}`, (c) =>
      withRollout(c, pages, (rollout) => {
        const problem = impossible(rollout, event);
        if (problem) return conflict(c, pages, [problem], rollout);
        return answer(c, pages, { title }, <View rollout={rollout} />);
      }),
    );
  }
  app.get(`${ROLLOUT}/raise`, (c) =>
    withRelease(c, pages, async (release) => {
      const text = c.req.query('percent');
      const percent = text === undefined ? undefined : percentIn(text);
      if (percent?.ok === false) return await notShown(c, pages, percent.error);
      const preview = await answered(() => pages.site.raise(release, percent?.value));
      if (!preview.ok) return await notShown(c, pages, preview.error);
      const { rollout } = preview.value;
      const problem = impossible(rollout, 'raise', percent?.value);
      if (problem) return await conflict(c, pages, [problem], rollout);
      return await answer(c, pages, { title: 'Raise' }, <RaiseView preview={preview.value} />);
    }),
  );
}

function answer(
  c: Context,
  { site, frame }: Pages,
  page: { readonly title: string; readonly live?: 'regular' },
  content: Child,
): Answer {
  return frame.page(c, { view: site, tab: '/rollouts', ...page }, content);
}

function notShown(c: Context, { frame }: Pages, problems: readonly PageProblem[]): Answer {
  return frame.failed(c, problems);
}

function withRelease(
  c: Context,
  { frame }: Pages,
  work: (release: NamedRelease) => Answer,
): Answer {
  return withModule(c, frame, (moduleId) => {
    const version = parseVersion(c.req.param('version'));
    if (version.ok) return work({ moduleId, version: version.value.text });
    const { message } = version.error;
    return frame.failed(c, [{ code: 'UNKNOWN_REFERENCE', message }], 404);
  });
}

function withRollout(c: Context, pages: Pages, work: (rollout: ShownRollout) => Answer): Answer {
  return withRelease(c, pages, async (release) => {
    const rollout = await answered(() => pages.site.rollout(release));
    return await (rollout.ok ? work(rollout.value) : notShown(c, pages, rollout.error));
  });
}

async function changed(
  c: Context,
  pages: Pages,
  release: NamedRelease,
  change: RolloutChange,
): Promise<Response> {
  const { site } = pages;
  const done = await answered(() => site.change(release, change, authorOf(c)));
  if (done.ok) return c.redirect(rolloutPath(release), 303);
  if (done.error[0]?.code !== 'ROLLOUT_CONFLICT') return await notShown(c, pages, done.error);
  const rollout = await answered(() => site.rollout(release));
  return await conflict(c, pages, done.error, rollout.ok ? rollout.value : undefined);
}

function conflict(
  c: Context,
  pages: Pages,
  problems: readonly PageProblem[],
  rollout: ShownRollout | undefined,
): Answer {
  c.status(409);
  const view = <ConflictView problems={problems} rollout={rollout} now={pages.site.now()} />;
  return answer(c, pages, { title: 'Conflict' }, view);
}
