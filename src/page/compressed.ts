import { brotliCompress, constants, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { MiddlewareHandler } from 'hono';

/** Smaller answers fit into one packet anyway. */
const LEAST = 1000;
/** Higher levels save 5 % of a page and take ten times as long. */
const LEVEL = 5;

const ENCODERS = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: LEVEL }),
} as const;

/** Compresses whole answers. A feed, which never ends, is left as it is. */
export const compressed: MiddlewareHandler = async (c, next) => {
  await next();
  const type = c.res.headers.get('content-type') ?? '';
  if (c.res.body === null || !/^(text\/(html|css|javascript)|application\/json)/.test(type)) return;
  const body = Buffer.from(await c.res.arrayBuffer());
  const encoding = body.length < LEAST ? undefined : accepted(c.req.header('accept-encoding'));
  const sent = encoding === undefined ? body : await ENCODERS[encoding](body);
  c.res = new Response(sent, c.res);
  c.header('vary', 'accept-encoding', { append: true });
  c.header('content-length', String(sent.length));
  if (encoding !== undefined) c.header('content-encoding', encoding);
};

/** The better of the encodings that the client accepts; undefined if it accepts none. */
function accepted(header = ''): keyof typeof ENCODERS | undefined {
  const names = new Set(
    header
      .split(',')
      .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
      .map((one) => one.split(';', 1)[0]?.trim()),
  );
  return (['br', 'gzip'] as const).find((name) => names.has(name));
}
