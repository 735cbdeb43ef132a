import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Catalogue } from '../../src/server/index.ts';
import { digestOf, key, role, ROOT_ONE, trustOf } from '../support/signed.ts';
import { append, later, ROLES } from './support/later-versions.ts';
import { HONEST, type Lie } from './support/lying-proxy.ts';
import { NAMESPACE, REGISTRY, signingSite } from './support/signing-site.ts';
import { LIDAR } from './support/trusted.ts';

const LIST = /^\/v1\/modules\/(\w+)\/(\w+)/;

/** The header of an answer to `path` with this body, by the key of the registry. */
function signature(path: string, body: string): string {
  const { pathname, searchParams } = new URL(path, 'http://x');
  const [, namespace, name] = LIST.exec(pathname) ?? [];
  const about = namespace ? `list ${namespace}:${name}` : `changes ${searchParams.get('after')}`;
  const lines = ['modreg/answer@1', 'acme-plant', '1', searchParams.get('nonce'), about];
  const text = [...lines, digestOf(body).slice('sha256:'.length), ''].join('\n');
  return `1 ${REGISTRY.id} ${REGISTRY.sign(text)}`;
}

/** Answers that are changed, and signed by the key of the registry. */
const resigning =
  (change: (json: Record<string, unknown>, isList: boolean) => object, without = ''): Lie =>
  async (path, ask) => {
    const answer = await ask(path);
    if (!path.includes('nonce=') || answer.status !== 200) return answer;
    const isList = LIST.test(path);
    const body = JSON.stringify(change(Object(JSON.parse(answer.body)), isList));
    // The tag is that of another list.
    const { [without]: _history, etag: _tag, ...headers } = answer.headers;
    return { ...answer, body, headers: { ...headers, 'modreg-signature': signature(path, body) } };
  };

/** Lists with a number that is higher by `by`. */
function raised(by: number): Parameters<typeof resigning>[0] {
  return (json, isList) =>
    isList ? { ...json, generation: Number(json['generation']) + by } : json;
}

describe('[D196] a number that a list got from who had the key of the registry', () => {
  const OTHER = key('other registry');
  const OTHERS = [role('registry', 1, OTHER), NAMESPACE];
  const replaceKey = (catalogue: Catalogue): void => {
    const pem = OTHER.privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(`${catalogue.path}-key`, pem);
    append(catalogue, 2, later(2, [ROOT_ONE], {}, OTHERS));
  };

  it.each([1000, 500_000])('is forgotten once that key is replaced: %d ahead', async (by) => {
    const { proxy, publish, machine, read, catalogue } = await signingSite(trustOf(ROLES));
    const registry = machine();
    proxy.lie = resigning(raised(by));
    expect(await read(registry)).toEqual(['1.0.0']);
    proxy.lie = HONEST;
    publish(LIDAR, '1.1.0');
    const regressed = `the list of acme:lidar at REGISTRY went backwards: generation 2, after ${by + 1}`;
    expect(await read(registry)).toEqual(['registry-regressed', regressed]);
    replaceKey(catalogue);
    expect(await read(registry)).toEqual(['1.1.0']);
    // It is saved in place of the other one.
    proxy.lie = async () => await Promise.resolve({ status: 403, headers: {}, body: '' });
    const [saved, why] = await read(machine());
    expect([saved, why]).toEqual(['1.1.0', 'registry-refused']);
    proxy.lie = HONEST;
    expect(await read(machine())).toEqual(['1.1.0']);
    // The numbers of the other key count.
    append(catalogue, 3, later(3, [ROOT_ONE], {}, OTHERS));
    publish(LIDAR, '1.2.0');
    expect(await read(registry)).toEqual(['1.2.0']);
    expect(await read(machine())).toEqual(['1.2.0']);
  });

  it('is forgotten although the list lost its position in the feed (D42)', async () => {
    const { proxy, publish, machine, catalogue, read } = await signingSite(trustOf(ROLES));
    proxy.lie = resigning(raised(1000));
    const registry = machine();
    expect(await read(registry)).toEqual(['1.0.0']);
    publish(LIDAR, '1.1.0');
    proxy.lie = resigning((json, isList) => (isList ? json : { ...json, sequence: 1 }));
    const regressed = 'the list of acme:lidar at REGISTRY went backwards: generation 2, after 1001';
    expect(await read(registry)).toEqual(['registry-regressed', regressed]);
    proxy.lie = HONEST;
    replaceKey(catalogue);
    expect(await read(machine())).toEqual(['1.1.0']);
  });

  it('is forgotten although the feed does not name the module, and its list has not changed since', async () => {
    const { proxy, publish, machine, catalogue, read } = await signingSite(trustOf(ROLES));
    const lie = resigning((json, isList) =>
      isList ? raised(1000)(json, isList) : { ...json, modules: [] },
    );
    const bodies = new Map<string, string>();
    proxy.lie = async (path, ask) => {
      const module = path.replace(/\?.*/, '');
      const body = bodies.get(module);
      if (body !== undefined) {
        return { status: 304, headers: { 'modreg-signature': signature(path, body) }, body: '' };
      }
      const answer = await lie(path, ask);
      if (!LIST.test(path)) return answer;
      bodies.set(module, answer.body);
      return { ...answer, headers: { ...answer.headers, etag: '"raised"' } };
    };
    const registry = machine();
    expect(await read(registry)).toEqual(['1.0.0']);
    expect(await read(registry)).toEqual(['1.0.0']);
    publish(LIDAR, '1.1.0');
    proxy.lie = HONEST;
    replaceKey(catalogue);
    expect(await read(registry)).toEqual(['1.1.0']);
  });

  it('is forgotten although the answer with the list named no history', async () => {
    const { proxy, publish, machine, catalogue } = await signingSite(trustOf(ROLES));
    // One list, without the feed.
    const newest = async (): Promise<unknown> => {
      const found = machine().read(LIDAR);
      return await found.then(
        ({ records }) => [...records].at(-1)?.version,
        (error: unknown) => Object(error).kind,
      );
    };
    proxy.lie = resigning(raised(1000), 'modreg-history');
    expect(await newest()).toBe('1.0.0');
    proxy.lie = HONEST;
    publish(LIDAR, '1.1.0');
    expect(await newest()).toBe('registry-regressed');
    replaceKey(catalogue);
    expect(await newest()).toBe('1.1.0');
  });
});
