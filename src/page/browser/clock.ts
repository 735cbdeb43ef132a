/** Lets the clock of a page go, in the time zone of the screen that shows it. */
export function showClock(): void {
  const clock = document.getElementById('clock');
  if (!clock) return;
  const format = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  const show = (): void => {
    const text = format.format(new Date());
    if (clock.textContent !== text) clock.textContent = text;
  };
  show();
  setInterval(show, 1000);
}
