const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** When the thing that an element tells the age of happened, on the clock of this page. */
const since = new WeakMap<Element, number>();

/** Lets the ages that the page shows grow. */
export function growAges(): void {
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-age], [data-ages]')) {
      const seconds = (performance.now() - sinceOf(element)) / 1000;
      const text = describe(seconds);
      if (element.textContent !== text) element.textContent = text;
    }
  }, 1000);
}

function sinceOf(element: HTMLElement): number {
  const { age } = element.dataset;
  if (age !== undefined) {
    since.set(element, performance.now() - Number(age) * 1000);
    // A new value of the server is known by its attribute.
    delete element.dataset['age'];
    element.dataset['ages'] = '';
  }
  return since.get(element) ?? performance.now();
}

/** The two largest units, as the server says it. */
function describe(seconds: number): string {
  const place = UNITS.findIndex(([, unit]) => seconds >= unit);
  const [large, small] = place === -1 ? [] : UNITS.slice(place, place + 2);
  if (!large) return '0 s';
  const count = Math.floor(seconds / large[1]);
  const rest = small ? Math.floor((seconds - count * large[1]) / small[1]) : 0;
  return rest === 0 || !small ? `${count} ${large[0]}` : `${count} ${large[0]} ${rest} ${small[0]}`;
}
