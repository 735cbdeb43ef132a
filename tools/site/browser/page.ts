/** Light or dark, and what a keyboard needs. Everything else works without scripts. */
const root = document.documentElement;
const KEY = 'modreg-theme';

function isDark(): boolean {
  return root.dataset['theme'] === undefined
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : root.dataset['theme'] === 'dark';
}

function offerThemes(button: HTMLElement): void {
  button.hidden = false;
  const name = (): void => {
    button.textContent = isDark() ? 'Light' : 'Dark';
  };
  name();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name);
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    root.dataset['theme'] = theme;
    localStorage.setItem(KEY, theme);
    name();
  });
}

/** What scrolls sideways must be reachable without a mouse, and only that. */
function focusScrolling(): void {
  for (const box of document.querySelectorAll<HTMLElement>('pre, .table')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  }
}

/** The menu is longer than a screen, and begins with the group of the page. */
function showCurrent(): void {
  const menu = document.getElementById('menu');
  const current = menu?.querySelector<HTMLElement>('[aria-current]');
  if (menu && current) menu.scrollTop = current.offsetTop - menu.clientHeight / 3;
}

// Before the first paint, so that a page does not flash in the other colours.
const theme = localStorage.getItem(KEY);
if (theme !== null) root.dataset['theme'] = theme;
document.addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('theme');
  if (button) offerThemes(button);
  focusScrolling();
  showCurrent();
  addEventListener('resize', focusScrolling);
});
// A link of the menu to a section of the same page must not leave the menu above it.
document.addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest('#menu a') : null;
  if (link) document.querySelector<HTMLElement>('#menu:popover-open')?.hidePopover();
});
