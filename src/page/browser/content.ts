import { morph, move } from './morph.ts';

/** The status of the answer to a script without a session. */
const SIGNED_OUT = 401;

/** Whether the session has ended. While the server does not answer, that is not known. */
export async function isSignedOut(): Promise<boolean> {
  const answer = await fetch('/v1/openapi.json', { method: 'HEAD' }).catch(() => undefined);
  return answer?.status === SIGNED_OUT;
}

/** Shows a part of the page that the feed sent, in place of the element with its id. */
export function show(html: string): void {
  const template = document.createElement('template');
  template.innerHTML = html;
  const fresh = template.content.firstElementChild;
  if (!fresh) return;
  const old = document.getElementById(fresh.id);
  if (!old) document.getElementById('modules')?.append(fresh);
  else if (old.localName === fresh.localName) morph(old, fresh);
  // Cards became rows.
  else location.reload();
}

/** Puts the rows into the order of `ids`, and removes all others. */
export function arrange(ids: readonly string[]): void {
  const list = document.getElementById('modules');
  if (!list) return;
  let place = list.firstElementChild;
  for (const id of ids) {
    const row = document.getElementById(id);
    if (row === place) place = place?.nextElementSibling ?? null;
    else if (row) move(row, list, place);
  }
  while (place !== null) {
    const next = place.nextElementSibling;
    place.remove();
    place = next;
  }
}

/** Shows what the server answers for this page now, unless the session has ended, or there is no such answer. */
export async function renew(main: Element): Promise<'shown' | 'signed-out' | 'lost'> {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 8;
  const answer = await fetch(location.href).catch(() => undefined);
  if (answer?.status === SIGNED_OUT) return 'signed-out';
  if (!answer?.ok) return 'lost';
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.querySelector('main');
  if (!fresh) return 'lost';
  morph(main, fresh);
  // A reader at the end of the log stays at its end.
  if (isAtEnd && scrollY > 0) scrollTo({ top: document.documentElement.scrollHeight });
  return 'shown';
}
