import { excerpt, quote } from '../../core/text/quote.ts';
import { LIMITS } from './package-limits.ts';
import { badArchive } from './tar-header.ts';

/** A link in an archive. */
export interface SurveyedLink {
  readonly kind: 'link' | 'hard-link';
  readonly path: string;
  readonly target: string;
}

const CONTROL = /\p{Cc}/u;

/** The path of an entry, without `.` and empty parts; empty for the root. Throws a refusal if it is not one inside the archive. */
export function pathOf(name: string): string {
  checkText(name);
  if (name.startsWith('/')) throw badArchive(`has an absolute path: ${quote(name)}`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw badArchive(`has a path that leaves it: ${quote(name)}`);
  if (parts.length > LIMITS.depth) {
    throw badArchive(`has folders within each other beyond ${LIMITS.depth}: ${quote(name)}`);
  }
  if (parts.some((part) => Buffer.byteLength(part) > LIMITS.name)) {
    throw badArchive(`has a name of more than ${LIMITS.name} bytes: ${quote(name)}`);
  }
  return parts.join('/');
}

function checkText(text: string): void {
  if (text.length > LIMITS.path || Buffer.byteLength(text) > LIMITS.path) {
    throw badArchive(`has a path of more than ${LIMITS.path} bytes: ${excerpt(text)}`);
  }
  if (CONTROL.test(text)) throw badArchive(`has a control character in ${quote(text)}`);
}

/** Throws a refusal unless all links of the package, which begins after `top`, lead to a place inside it. */
export function checkLinks(links: readonly SurveyedLink[], top: string): void {
  for (const { kind, path, target } of links) {
    if (!path.startsWith(top)) continue;
    if (kind === 'link') checkLink(path.slice(top.length), target);
    else if (!pathOf(target).startsWith(top)) {
      throw badArchive(`links ${quote(path)} to ${quote(target)}, which is beside the package`);
    }
  }
}

/**
 * A target goes up only at its beginning, so that no link on its way can change what `..` means: then no chain of links leaves
 * the package if no single link does.
 */
function checkLink(path: string, target: string): void {
  checkText(target);
  const found = `has the link ${quote(path)} to ${quote(target)}, which`;
  if (target === '') throw badArchive(`has the link ${quote(path)}, which leads nowhere`);
  if (target.startsWith('/')) throw badArchive(`${found} is absolute`);
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const ups = parts.findIndex((part) => part !== '..');
  const rest = ups === -1 ? [] : parts.slice(ups);
  if (rest.includes('..')) throw badArchive(`${found} has ".." after a name`);
  const depth = path.split('/').length - 1;
  if (parts.length - rest.length > depth) throw badArchive(`${found} leaves the package`);
}
