import type { Child, FC } from 'hono/jsx';

/** The addresses of the style and the script, which contain a hash of their content. */
export interface Assets {
  readonly style: string;
  readonly script: string;
}

/** The address of a tab, and its name. */
export type Tab = readonly [href: string, name: string];

/** What changes while the page is open: its rows, its content, or its content with each record of the log; `regular`: its content, without a feed. */
export type Live = 'rows' | 'page' | 'log' | 'regular';

/** A whole page. */
export const Layout: FC<{
  readonly title: string;
  /** The name of the machine or the site. */
  readonly machine: string;
  /** Who is signed in; undefined for who has no name. */
  readonly user?: string | undefined;
  readonly tabs: readonly Tab[];
  /** The address of the tab that is shown. */
  readonly tab?: string;
  /** Whether the page is for a signed-in user, and has the tabs and the button for signing out. */
  readonly isPrivate?: boolean;
  readonly live?: Live | undefined;
  readonly assets: Assets;
  readonly children?: Child;
}> = ({ title, machine, user, tabs, tab, isPrivate = true, live, assets, children }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title === machine ? title : `${title} · ${machine}`}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={assets.style} />
      <script type="module" src={assets.script} />
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <p class="machine">{machine}</p>
        {isPrivate ? <Navigation user={user} tabs={tabs} tab={tab} /> : null}
        <p id="live" role="status"></p>
      </header>
      <main
        id="content"
        data-live={live === 'regular' ? undefined : live}
        data-renew={live === 'regular' ? true : undefined}
      >
        {children}
      </main>
    </body>
  </html>
);

const Navigation: FC<{
  readonly user: string | undefined;
  readonly tabs: readonly Tab[];
  readonly tab: string | undefined;
}> = ({ user, tabs, tab }) => (
  <>
    <nav aria-label="Pages">
      {tabs.map(([href, name]) => (
        <a href={href} aria-current={href === tab ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
    <form method="post" action="/sign-out">
      {user === undefined ? null : `${user} `}
      <button>Sign out</button>
    </form>
  </>
);
