/** Makes `old` like `fresh`, and keeps what it can: focus, what a person typed, and which details are open. */
export function morph(old: Element, fresh: Element): void {
  if (old.localName !== fresh.localName || old.id !== fresh.id) {
    old.replaceWith(fresh);
    return;
  }
  copyAttributes(old, fresh);
  if (old.isEqualNode(fresh)) return;
  let place = old.firstChild;
  // A copy: inserting a child removes it from `fresh`.
  for (const child of Array.from(fresh.childNodes)) {
    const match = matchOf(child, old, place);
    if (match === null) {
      old.insertBefore(child, place);
      continue;
    }
    if (match !== place) move(match, old, place);
    place = match.nextSibling;
    if (match instanceof Element && child instanceof Element) morph(match, child);
    else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
  }
  while (place !== null) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/** The child of `old` that becomes `child`: the one with its id, else the one at its place if that is of its kind. */
function matchOf(child: ChildNode, old: Element, place: ChildNode | null): ChildNode | null {
  if (child instanceof Element && child.id !== '') {
    return [...old.children].find(({ id }) => id === child.id) ?? null;
  }
  if (place?.nodeName !== child.nodeName) return null;
  return place instanceof Element && place.id !== '' ? null : place;
}

/** Moves a node within its document. A browser that can keeps its focus. */
export function move(node: Node, parent: Element, before: Node | null): void {
  if ('moveBefore' in parent) parent.moveBefore(node, before);
  else (parent as Element).insertBefore(node, before);
}

function copyAttributes(old: Element, fresh: Element): void {
  for (const name of old.getAttributeNames()) {
    const isOfPerson = name === 'open' && old.localName === 'details';
    if (!fresh.hasAttribute(name) && !isOfPerson) old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name) ?? '';
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}
