import type { Markdown } from '@11ty/eleventy';

/** What a page changes in its Markdown while it is rendered. */
export interface Rendering {
  /** The address of a link or of an image in this page. */
  readonly resolve: (target: string) => string;
  /** The text of an image that is part of the page; undefined for every other image. */
  readonly inlined: (target: string) => string | undefined;
}

/** The id of a heading as GitHub makes it, so that a link works there and here. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

type Tokens = Parameters<Markdown['renderer']['rules'][string]>[0];

function textOf(token: Tokens[number] | undefined): string {
  const parts = token?.children ?? [];
  return parts.map(({ type, content }) => (type === 'html_inline' ? '' : content)).join('');
}

function nameHeadings(tokens: Tokens): void {
  const uses = new Map<string, number>();
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return;
    const name = slug(textOf(tokens[index + 1]));
    const before = uses.get(name) ?? 0;
    uses.set(name, before + 1);
    token.attrSet('id', before === 0 ? name : `${name}-${before}`);
  });
}

/** The first cell of a row of a table, or the first words of an item of a list, at their start. */
function firstWords(tokens: Tokens, index: number): string | undefined {
  const { type } = tokens[index] ?? {};
  if (type === 'tr_open') return textOf(tokens[index + 2]);
  return type === 'list_item_open' ? textOf(tokens[index + 2]).split(':')[0] : undefined;
}

/** A row of the decision table or of the faults gets its id: D13. */
function nameRows(tokens: Tokens): void {
  let table: Tokens[number] | undefined;
  tokens.forEach((token, index) => {
    if (token.type === 'table_open') table = token;
    const first = firstWords(tokens, index) ?? '';
    if (!/^[ADILRT]\d+$/.test(first)) return;
    // The link in the first cell of a table leads to the row.
    if (token.type === 'tr_open') table?.attrSet('class', 'rows');
    else token.attrSet('id', first);
  });
}

function resolveLinks(tokens: Tokens, { resolve }: Rendering): void {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === 'link_open') token.attrSet('href', resolve(token.attrGet('href') ?? ''));
    if (token.type === 'image') token.attrSet('src', resolve(token.attrGet('src') ?? ''));
  }
}

function inlineImages(tokens: Tokens, { inlined }: Rendering): void {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const text = token.type === 'image' ? inlined(token.attrGet('src') ?? '') : undefined;
    if (text === undefined) continue;
    Object.assign(token, { type: 'html_inline', content: text, children: null });
  }
}

/** Headings and rows with ids, links of the site, tables that scroll. */
export function amendMarkdown(
  markdown: Markdown,
  renderingOf: (source: string) => Rendering,
): void {
  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const rendering = renderingOf((env as { readonly source: string }).source);
    nameHeadings(tokens);
    nameRows(tokens);
    inlineImages(tokens, rendering);
    resolveLinks(tokens, rendering);
  });
  const { rules } = markdown.renderer;
  rules['table_open'] = (tokens, index) => {
    const rows = tokens[index]?.attrGet('class') === 'rows';
    return `<div class="table"><table${rows ? ' class="rows"' : ''}>\n`;
  };
  rules['table_close'] = () => '</table></div>\n';
}
