import type { Child, FC } from 'hono/jsx';

/** The addresses of the style and the script, which contain a hash of their content. */
export interface Assets {
  readonly style: string;
  readonly script: string;
}

const TABS = [
  ['/', 'Modules'],
  ['/history', 'History'],
  ['/logs', 'Logs'],
  ['/config', 'Config'],
] as const;

/** The address of a tab. */
export type Tab = (typeof TABS)[number][0];

/** What changes while the page is open: its rows, its content, or its content with each record of the log. */
export type Live = 'rows' | 'page' | 'log';

/** A whole page. */
export const Layout: FC<{
  readonly title: string;
  /** The name of the machine. */
  readonly machine: string;
  /** The address of the tab that is shown. */
  readonly tab?: Tab;
  /** Whether the page is for a signed-in user, and has the tabs and the button for signing out. */
  readonly isPrivate?: boolean;
  readonly live?: Live | undefined;
  readonly assets: Assets;
  readonly children?: Child;
}> = ({ title, machine, tab, isPrivate = true, live, assets, children }) => (
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
        {isPrivate ? <Navigation tab={tab} /> : null}
        <p id="live" role="status"></p>
      </header>
      <main id="content" data-live={live}>
        {children}
      </main>
    </body>
  </html>
);

const Navigation: FC<{ readonly tab: Tab | undefined }> = ({ tab }) => (
  <>
    <nav aria-label="Pages">
      {TABS.map(([href, name]) => (
        <a href={href} aria-current={href === tab ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
    <form method="post" action="/sign-out">
      <button>Sign out</button>
    </form>
  </>
);
