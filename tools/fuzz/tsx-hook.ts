/* Lets Node read the views of pages, which are TSX. Node itself removes types only. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context);
    const path = fileURLToPath(url);
    const jsx = { runtime: 'automatic', importSource: 'hono/jsx' } as const;
    const { code, errors } = transformSync(path, readFileSync(path, 'utf8'), { jsx });
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(String).join('; ')}`);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
