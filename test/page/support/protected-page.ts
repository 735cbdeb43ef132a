import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { MACHINE_PAGE, type AccessEvent } from '../../../src/page/access/access-options.ts';
import { loopbackName } from '../../../src/page/access/host-names.ts';
import { openPageFile, type PageFile } from '../../../src/page/access/page-file.ts';
import { protect } from '../../../src/page/access/protection.ts';
import { fileRefusal } from '../../../src/page/access/refusal.ts';
import { DatabaseError } from '../../../src/sqlite/database-error.ts';
import { temporaryFolder } from '../../support/folder.ts';

export const NOW = 1_764_000_000_000;

/** A page with two routes, `/` and `/v1/changes`, that only who is signed in may use. */
export interface ProtectedPage {
  readonly path: string;
  readonly file: PageFile;
  readonly app: Hono;
  /** Its host name, with a port. */
  readonly host: string;
  readonly events: readonly AccessEvent[];
  /** Sends a request to that host, unless `headers` names another one. */
  readonly ask: (
    request: string,
    headers?: Readonly<Record<string, string>>,
    body?: string,
    /** The address that it comes from. */
    from?: string,
  ) => Promise<Response>;
  /** The token of a new session. */
  readonly signIn: () => string;
}

export function protectedPage({ isTls = false }: { readonly isTls?: boolean } = {}): ProtectedPage {
  const path = `${temporaryFolder()}/page.db`;
  const file = openPageFile(path, 50);
  onTestFinished(() => file.close());
  const name = loopbackName(file.label);
  const host = `${name}:4890`;
  const events: AccessEvent[] = [];
  const app = new Hono();
  app.onError((error) => {
    if (error instanceof DatabaseError) return fileRefusal(error, MACHINE_PAGE);
    throw error;
  });
  const onEvent = (event: AccessEvent): void => void events.push(event);
  const names = (one: string): boolean => one === name;
  protect(
    app,
    { naming: MACHINE_PAGE, file, names, isTls, now: () => NOW, onEvent },
    ({ problem = 'no problem', to }) => `sign-in to ${to}: ${problem}`,
  );
  app.get('/', (c) => c.html('the machine'));
  app.get('/assets/page.js', (c) => c.text('script', { headers: { 'cache-control': 'public' } }));
  app.all('/v1/changes', (c) => c.json({ method: c.req.method }));
  return {
    path,
    file,
    app,
    host,
    events,
    async ask(request, headers = {}, ...[body, remoteAddress]) {
      const [method = '', address = ''] = request.split(' ');
      const init = { method, headers: { host, ...headers }, ...(body !== undefined && { body }) };
      return await app.request(address, init, { incoming: { socket: { remoteAddress } } });
    },
    signIn: () => file.signIn(file.newCode(NOW), NOW) ?? '',
  };
}
