/** Shows the rows that have every word of the text, as it is typed. `rows.html?q=D13` begins with a text. */
const place = document.getElementById('filter');
const rows = Array.from(document.querySelectorAll<HTMLElement>('.rows tbody tr'), (row) => ({
  row,
  text: row.textContent.toLowerCase(),
}));

const input = document.createElement('input');
input.type = 'search';
input.placeholder = 'Filter: quarantine, yanked, D13';
input.setAttribute('aria-label', 'Filter the rows');
const count = document.createElement('p');
count.setAttribute('role', 'status');

function filter(): void {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  count.textContent = `${shown} of ${rows.length} rows`;
}

place?.append(input, count);
input.value = new URLSearchParams(location.search).get('q') ?? '';
input.addEventListener('input', filter);
filter();
