import { hostname } from 'node:os';
import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import {
  bracketed,
  certifiedNames,
  loopbackName,
  shownName,
  type HostNames,
} from '../../page/access/host-names.ts';
import { openPageFile, type PageFile } from '../../page/access/page-file.ts';
import type { TlsInUse } from '../../server/tls/tls-reload.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { setAside } from '../../sqlite/set-aside.ts';
import { stateProblem } from '../../host/open-state.ts';
import { usage, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { PageIdentity } from './page-identity.ts';

/** Short, because the page answers no request while it waits. */
const BUSY_TIMEOUT_MS = 200;

/**
 * Opens the file of the sessions. It only has what everybody can get again by signing in, so a damaged one is replaced;
 * it stays beside the new one under another name (T129).
 */
export function openAccess(
  { path }: Pick<PageIdentity, 'path'>,
  world: World,
): Result<PageFile, Problem> {
  try {
    return { ok: true, value: openPageFile(path, BUSY_TIMEOUT_MS) };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.kind !== 'damaged') return { ok: false, error: stateProblem(error) };
    const aside = setAside(path);
    world.note(
      `warning: ${error.message}; it is now ${quote(aside)}, and all users have to sign in again`,
    );
    return { ok: true, value: openPageFile(path, BUSY_TIMEOUT_MS) };
  }
}

/** The host names that a page accepts, and the one that is shown to a person. */
export interface PageNames {
  readonly names: HostNames;
  readonly shown: string;
}

/** The random name on loopback, or with TLS what the certificate covers. */
export function pageNames(
  { label }: PageFile,
  tls: TlsInUse | undefined,
  host: string | undefined,
): Result<PageNames, Problem> {
  if (!tls) {
    const own = loopbackName(label);
    return { ok: true, value: { names: (name) => name === own, shown: own } };
  }
  const { cert } = tls.pair();
  const shown = shownName(cert, [...(host === undefined ? [] : [host]), hostname()]);
  if (shown !== undefined) {
    const names = certifiedNames(() => tls.pair().cert);
    return { ok: true, value: { names, shown: bracketed(shown) } };
  }
  const message = `the certificate of --tls-cert covers neither --host nor ${quote(hostname())}, and names no other host`;
  const hint = 'its subjectAltName has the names under which browsers may open the page';
  return { ok: false, error: usage(message, hint) };
}
