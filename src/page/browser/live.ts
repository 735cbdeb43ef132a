import { growAges } from './ages.ts';
import { showClock } from './clock.ts';
import { arrange, isSignedOut, renew, show } from './content.ts';
import { signInFromAddress } from './sign-in.ts';

/** A feed that says nothing for so long is lost: it says every 15 s that it is alive. */
const SILENCE_MS = 40_000;
const AGAIN_MS = 3000;
/** As often as the server counts the machines of a rollout. */
const RENEW_MS = 10_000;
/** The newest lines of a log are at the top. */
const RENEW_LINES_MS = 2000;

const main = document.querySelector<HTMLElement>('main[data-live]');
const regular = document.querySelector<HTMLElement>('main[data-renew]');
const hasLines = document.getElementById('lines') !== null;
const status = document.getElementById('live');
let feed: EventSource | undefined;
let timer: number | undefined;
let renewing: number | undefined;
let heardAt = new Date();
/** The rows that are shown; undefined on a page without rows. */
let version = document.getElementById('modules')?.dataset['version'];
/** Whether the page may have missed a change. */
let isOld = false;

function open(): void {
  close();
  const seen = version === undefined ? '' : `?seen=${encodeURIComponent(version)}`;
  const opened = new EventSource(`/v1/live${seen}`);
  feed = opened;
  const on = (name: string, work: (event: MessageEvent<string>) => void): void => {
    opened.addEventListener(name, (event: MessageEvent<string>) => {
      heard();
      work(event);
    });
  };
  on('message', ({ data }) => show(data));
  on('order', ({ data }) => arrange(JSON.parse(data) as string[]));
  on('plan', () => renewIf(main?.dataset['live'] === 'page'));
  on('log', () => renewIf(main?.dataset['live'] === 'log'));
  on('alive', ({ lastEventId }) => {
    renewIf(isOld && version === undefined);
    isOld = false;
    if (version !== undefined) version = lastEventId;
  });
  opened.addEventListener('signed-out', end);
  opened.addEventListener('error', () => void lost(opened));
}

function renewIf(isWanted: boolean): void {
  if (main && isWanted) void renew(main);
}

function close(): void {
  clearTimeout(timer);
  feed?.close();
  isOld = feed !== undefined;
}

function heard(): void {
  heardAt = new Date();
  tell('connected', 'connected');
  clearTimeout(timer);
  timer = setTimeout(() => {
    tellLost();
    open();
  }, SILENCE_MS);
}

async function lost(of: EventSource): Promise<void> {
  if (of !== feed) return;
  isOld = true;
  tellLost();
  clearTimeout(timer);
  // The browser tries again by itself, but not after an answer that is no feed.
  if (of.readyState !== EventSource.CLOSED) return;
  if (await isSignedOut()) end();
  else if (of === feed && !document.hidden) timer = setTimeout(open, AGAIN_MS);
}

/** The session has ended: another one begins with the sign-in, to which the page leads when it is loaded again. */
function end(): void {
  close();
  clearInterval(renewing);
  document.removeEventListener('visibilitychange', openIfVisible);
  tell('ended', `signed out; this data is from ${lastTime()}: reload the page to sign in`);
}

/** The page of a site has no feed: a page that changes is fetched again. */
async function renewRegularly(shown: Element): Promise<void> {
  if (document.hidden) return;
  // Lines that move away cannot be read.
  if (hasLines && scrollY > innerHeight / 2) {
    return tell('paused', 'paused: scroll up to follow');
  }
  const renewed = await renew(shown);
  if (renewed === 'signed-out') return end();
  if (renewed === 'lost') return tellLost();
  heardAt = new Date();
  tell('connected', 'connected');
}

function tellLost(): void {
  tell('lost', `disconnected since ${lastTime()}; this data is from then`);
}

/** When the server was heard last. */
function lastTime(): string {
  return heardAt.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });
}

function tell(state: string, text: string): void {
  if (!status || status.textContent === text) return;
  status.textContent = text;
  status.dataset['state'] = state;
  document.documentElement.dataset['feed'] = state;
}

function openIfVisible(): void {
  if (document.hidden) close();
  else open();
}

if (main) {
  document.addEventListener('visibilitychange', openIfVisible);
  globalThis.addEventListener('pagehide', close);
  globalThis.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) openIfVisible();
  });
  growAges();
  if (!document.hidden) open();
}
if (regular) {
  growAges();
  const everyMs = hasLines ? RENEW_LINES_MS : RENEW_MS;
  renewing = setInterval(() => void renewRegularly(regular), everyMs);
}
showClock();
signInFromAddress();
