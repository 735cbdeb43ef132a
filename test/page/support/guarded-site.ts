import { scryptSync } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Hono } from 'hono';
import type { AccessEvent } from '../../../src/page/access/access-options.ts';
import type { HostNames } from '../../../src/page/access/host-names.ts';
import { openPageFile, type PageFile } from '../../../src/page/access/page-file.ts';
import { siteApp } from '../../../src/page/site/site-app.ts';
import { siteOf } from '../../../src/site/site.ts';
import { siteFiles } from '../../../src/site/site-files.ts';
import type { Role } from '../../../src/server/accounts/role.ts';
import { Catalogue } from '../../../src/server/index.ts';
import { NOW, testSite, type TestSite } from './site-page.ts';

const NAMING = { command: 'modreg registry page' };
const HOST = 'site.localhost:4891';

/** The headers of a form of the page itself. */
export const OWN = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
};
export const HTML = { accept: 'text/html' };
export const PASSWORD = 'correct horse battery';

/** The page of a site that only who has signed in, or has a link, may see. */
export interface GuardedSite {
  readonly site: TestSite;
  readonly app: Hono;
  readonly file: PageFile;
  /** Each with the account that it is about. */
  readonly events: readonly string[];
  /** The changes that were made on the page, with their authors. */
  readonly logged: readonly string[];
  readonly ask: (
    request: string,
    headers?: Readonly<Record<string, string>>,
    body?: string,
    /** The address that it comes from. */
    from?: string,
  ) => Promise<Response>;
  /** A new token. */
  readonly token: (name: string, ...scopes: readonly string[]) => string;
  /** The cookie of who signed in with a code. */
  readonly session: () => string;
  /** Adds an account or changes it, with `PASSWORD`. */
  readonly account: (name: string, role: Role) => void;
  /** The cookie of who signed in with an account. */
  readonly sessionOf: (name: string) => string;
}

const names: HostNames = (name) => name === 'site.localhost';

export function guardedSite(site: TestSite = testSite()): GuardedSite {
  const reader = new Catalogue(site.path, { mode: 'read' });
  const files = siteFiles(reader, { now: () => site.now, busyTimeoutMs: 50 });
  const file = openPageFile(site.path.replace('.db', '-page.db'), 50);
  onTestFinished(() => {
    file.close();
    files.close();
    reader.close();
  });
  const [events, logged]: [string[], string[]] = [[], []];
  const onEvent = (event: AccessEvent, account?: string): void =>
    void events.push(account === undefined ? event : `${event} ${account}`);
  const access = { naming: NAMING, file, names, isTls: false, now: () => site.now, onEvent };
  const app = siteApp(
    {
      ...siteOf(files, (kind, _about, by) => void logged.push(`${kind} by ${by}`)),
      title: 'a site',
    },
    {
      assets: { style: '', script: '', wall: '' },
      naming: NAMING,
      access: { ...access, accounts: reader.accounts },
    },
  );
  return {
    site,
    app,
    file,
    events,
    logged,
    async ask(request, headers = {}, ...[body, remoteAddress]) {
      const [method = '', path = ''] = request.split(' ');
      const init = { method, headers: { host: HOST, ...headers }, ...(body && { body }) };
      return await app.request(path, init, { incoming: { socket: { remoteAddress } } });
    },
    token(name, ...scopes) {
      const created = site.catalogue.createToken({ name, scopes, expiresAt: NOW + 60_000 }, NOW);
      if (!created.ok) throw new Error(created.error);
      return created.value.token;
    },
    session: () => cookieOf(file.signIn(file.newCode(NOW), NOW) ?? ''),
    account(name, role) {
      site.catalogue.accounts.set({ name, role, password: cheap(PASSWORD) }, NOW);
    },
    sessionOf(name) {
      const stamp = site.catalogue.accounts.all().find((one) => one.name === name)?.stamp ?? '';
      return cookieOf(file.signInAs({ name, stamp }, site.now));
    },
  };
}

/** As it is stored, but derived in less than a millisecond. */
function cheap(password: string): string {
  const salt = Buffer.alloc(16, 7);
  const hash = scryptSync(password, salt, 32, { N: 16, r: 1, p: 1 });
  return `scrypt:16:1:1:${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

function cookieOf(token: string): string {
  return `__Host-modreg-page=${token}`;
}
