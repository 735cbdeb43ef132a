import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Child } from 'hono/jsx';
import type { SignInView } from './access/access-options.ts';
import type { PageProblem } from './page-problem.ts';
import type { MachineView } from './paged-machine.ts';
import { statusOf } from './problem-answer.ts';
import { Layout, type Assets, type Live, type Tab } from './views/layout.tsx';
import { Problems } from './views/modules-view.tsx';
import { SignedInRole } from './views/signed-in.ts';
import { SignIn, type SignInHelp } from './views/sign-in.tsx';

type Answer = Response | Promise<Response>;

/** Answers requests with whole pages. */
export interface Frame {
  page(
    c: Context,
    shown: {
      readonly view: Pick<MachineView, 'title'>;
      readonly title: string;
      readonly tab: string;
      readonly live?: Live | undefined;
    },
    content: Child,
  ): Answer;
  /** The page that says what cannot be shown or done. Without `status`, it has that of the first problem. */
  failed(c: Context, problems: readonly PageProblem[], status?: ContentfulStatusCode): Answer;
  /** The page for signing in, as HTML. */
  readonly signIn: SignInView;
  /** A page for who has not signed in. */
  readonly open: (c: Context, title: string, content: Child) => Answer;
}

/** What the pages of a machine or a site have in common. */
export interface PageFrame {
  readonly tabs: readonly Tab[];
  readonly signIn: SignInHelp;
}

export function frameWith(assets: Assets, { tabs, signIn: help }: PageFrame): Frame {
  const open = (title: string, content: Child): Child => (
    <Layout title={title} machine="modreg" tabs={[]} isPrivate={false} assets={assets}>
      {content}
    </Layout>
  );
  return {
    page: (c, { view, title, tab, live }, content) =>
      answer(
        c,
        <Layout
          title={title}
          machine={view.title}
          user={userOf(c)}
          tabs={tabs}
          tab={tab}
          live={live}
          assets={assets}
        >
          <SignedInRole.Provider value={c.get('role') ?? 'viewer'}>{content}</SignedInRole.Provider>
        </Layout>,
      ),
    failed(c, problems, status = statusOf(problems)) {
      c.status(status);
      return answer(
        c,
        <Layout title="Problem" machine="modreg" user={userOf(c)} tabs={tabs} assets={assets}>
          <h1>{c.req.method === 'GET' ? 'This cannot be shown' : 'This was not done'}</h1>
          <Problems problems={problems} />
        </Layout>,
      );
    },
    open: (c, title, content) => answer(c, open(title, content)),
    signIn: async (attempt) => {
      const form = <SignIn help={help} problem={attempt.problem} {...attempt} />;
      const page = await document(open('Sign in', form));
      return page.toString();
    },
  };
}

/** The account that is signed in, with its role; undefined for a code. */
function userOf(c: Context): string | undefined {
  const { account, role } = c.var;
  return account === undefined ? undefined : `${account} (${role})`;
}

function answer(c: Context, page: Child): Answer {
  return c.html(document(page));
}

function document(page: Child): ReturnType<typeof html> {
  return html`<!doctype html>${page}`;
}
