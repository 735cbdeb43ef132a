import type { Child, FC } from 'hono/jsx';
import { timeOf } from '../../clock-words.ts';

/** The addresses of what the wall loads. */
export interface WallAssets {
  readonly wall: string;
  readonly script: string;
}

/** So often a browser without scripts loads the wall again. */
const RELOAD_S = 30;

/** The wall as a whole page: no links, no forms. */
export const WallPage: FC<{
  readonly title: string;
  readonly now: number;
  readonly assets: WallAssets;
  readonly children?: Child;
}> = ({ title, now, assets, children }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`Wall · ${title}`}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={assets.wall} />
      <script type="module" src={assets.script} />
      <noscript>
        <meta http-equiv="refresh" content={`${RELOAD_S}`} />
      </noscript>
    </head>
    <body>
      <header>
        <h1>{title}</h1>
        <p id="live" role="status"></p>
        <p id="clock">{timeOf(now, undefined).slice(0, 5)} UTC</p>
      </header>
      <main id="content" data-renew>
        {children}
      </main>
    </body>
  </html>
);
