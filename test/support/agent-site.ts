import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { Agent } from '../../src/agent/agent.ts';
import type { AgentEvent, AgentOptions } from '../../src/agent/index.ts';
import { DEFAULT_POLICY, readMachine, type UpdateTerms } from '../../src/config/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { Catalogue, readRelease, serveRegistry } from '../../src/server/index.ts';
import { openForPoller, savedListsIn, type ClaimedFile } from '../../src/store/index.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { moduleId } from './ask.ts';
import { temporaryFolder } from './folder.ts';
import { skippingClock } from './clock.ts';
import { artifactOf } from '../../mocks/file-server.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { member, tarOf } from './tar-file.ts';
import { value } from './reading.ts';
import { signed, type TestKey, type TestTrust } from './signed.ts';

/** A machine with a registry and an agent, whose modules are shell scripts. */
export interface AgentSite {
  readonly home: string;
  /** What happened, in words. */
  readonly story: string[];
  /** The path of each request to the server of the files. */
  readonly requests: readonly string[];
  /** Publishes a version of a module, whose program is a shell script, or what begins with `#!`. */
  readonly publish: (id: string, version: string, script: string, meta?: object) => void;
  /** Who signs what is published from now on; nobody at first. With a trust document, which the registry then has, it refuses what is not signed. */
  readonly sign: (trust: TestTrust | undefined, ...keys: readonly TestKey[]) => void;
  /** Puts a package on the server of the files, whose program is a shell script. Returns its address. */
  readonly file: (path: string, script: string) => string;
  /** Replaces the entries of the machine config. */
  readonly configure: (config: object) => void;
  /** Replaces how modules are run, and other terms. Resolves once the agent has read it, if one runs. */
  readonly change: (run: Partial<UpdateTerms['run']>, more?: Partial<UpdateTerms>) => Promise<void>;
  /** Requests a restart, as an operator does. */
  readonly restart: (id: string, name: string) => void;
  /** Leaves requests for the file of a version without a response. Returns how to answer them. */
  readonly delay: (id: string, version: string) => () => void;
  /** Removes the file of a version from the server. */
  readonly remove: (id: string, version: string) => void;
  /** Starts an agent, as its launcher does with the program that is given. Returns how to end it. */
  readonly start: (launched?: AgentOptions['launched']) => Promise<() => Promise<void>>;
  /** Resolves once a line of the story is `line`, and removes all lines until then. */
  readonly until: (line: string | RegExp) => Promise<void>;
}

export const INTERVAL_MS = 5000;

/** The terms of a site whose trials are as short as those of a program that only stays can be. */
const QUICK: UpdateTerms['run'] = {
  ...DEFAULT_POLICY.terms.run,
  runAs: process.getuid?.() === 0 ? 'root' : undefined,
  readyMs: 50,
  probationMs: 20,
  probeMs: 1000,
  stopMs: 1000,
};

/** Of a program that does something before it is in use, such as to end: it has so long for it, also on a busy machine. */
export const FOR_PROGRAM = { readyMs: 500, probationMs: 200 } satisfies Partial<UpdateTerms['run']>;

export async function agentSite(
  config: object,
  run: Partial<UpdateTerms['run']> = {},
  { clock = skippingClock(INTERVAL_MS), system }: Pick<AgentOptions, 'clock' | 'system'> = {},
): Promise<AgentSite> {
  const home = temporaryFolder();
  const files = new Map<string, Buffer>();
  const delayed = new Map<string, Promise<unknown>>();
  const server = await plainServer((response, { url = '' }) => {
    const file = files.get(url);
    response.writeHead(file ? 200 : 404, { 'content-length': file?.length ?? 0 });
    void Promise.resolve(delayed.get(url)).then(() => response.end(file));
  });
  const catalogue = new Catalogue(':memory:');
  const registry = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await registry.close();
    catalogue.close();
  });
  let machine = value(readMachine(JSON.stringify(config)));
  let terms: UpdateTerms = {
    ...DEFAULT_POLICY.terms,
    registry: `${registry.address}/v1`,
    restartCooldownMs: 0,
    restartCeiling: 1000,
    run: { ...QUICK, ...run },
  };
  let signers: readonly TestKey[] = [];
  const story: string[] = [];
  const waiting = new Set<() => void>();
  const tell = (line: string): void => {
    story.push(line);
    for (const check of waiting) check();
  };
  let reading = Promise.withResolvers<undefined>();
  let isRunning = false;
  let state: ClaimedFile['state'] | undefined;
  const start: AgentSite['start'] = async (launched) => {
    const file = openForPoller(join(home, 'machine.db'));
    state = file.state;
    const agent = new Agent({
      file,
      home,
      platform: 'linux/amd64',
      launched,
      environment: { HOME: home },
      intervalMs: INTERVAL_MS,
      clock,
      ...(system && { system }),
      random: () => 0,
      configuration: () => {
        reading.resolve(undefined);
        reading = Promise.withResolvers();
        return { machine, policy: { terms, modules: new Map() } };
      },
      registryFor: openRegistries({ saved: savedListsIn(file) }).registryFor,
      onEvent: (event) => {
        const line = inWords(event);
        if (line !== undefined) tell(line);
      },
      onLine: (name, { text }) => tell(`${name} says ${text}`),
    });
    let isOver = false;
    isRunning = true;
    const end = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      isRunning = false;
      await agent.stop();
      file.close();
    };
    onTestFinished(end);
    await agent.start();
    return end;
  };
  return {
    home,
    story,
    requests: server.requests,
    file: (path, script) => {
      files.set(path, packageOf(script, ENTRY_POINT));
      return `${server.address}${path}`;
    },
    sign: (trust, ...keys) => {
      if (trust) catalogue.trust.store(trust.text);
      signers = keys;
    },
    publish: (id, version, script, meta = ENTRY_POINT) => {
      const file = packageOf(script, meta);
      const path = `/${id}/${version}`;
      files.set(path, file);
      const artifacts = [artifactOf(file, `${server.address}${path}`)];
      const published_at = formatTime(Date.now());
      const plain = { version, published_at, artifacts };
      const release = readRelease(signers.length === 0 ? plain : signed(id, plain, ...signers));
      if (!release.ok) throw new Error(release.error.join());
      catalogue.publish(moduleId(id), release.value, Date.now());
    },
    change: async (changed, more = {}) => {
      terms = { ...terms, ...more, run: { ...terms.run, ...changed } };
      if (isRunning) await reading.promise;
    },
    restart: (id, name) => {
      const target =
        name === 'platform-server'
          ? ({ kind: 'subsystem', name } as const)
          : ({ kind: 'module', name, moduleId: moduleId(id) } as const);
      state?.requestRestart(target, { requestedAt: Date.now(), isImmediate: true });
    },
    delay: (id, version) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      delayed.set(`/${id}/${version}`, promise);
      return () => resolve(undefined);
    },
    remove: (id, version) => files.delete(`/${id}/${version}`),
    configure: (changed) => {
      machine = value(readMachine(JSON.stringify(changed)));
    },
    start,
    until: async (line) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const check = (): void => {
        const place = story.findIndex((one) =>
          typeof line === 'string' ? one === line : line.test(one),
        );
        if (place === -1) return;
        story.splice(0, place + 1);
        waiting.delete(check);
        resolve(undefined);
      };
      waiting.add(check);
      check();
      await promise;
    },
  };
}

const ENTRY_POINT = { entrypoint: 'run' };

/** A package whose program is a shell script. */
export function packageOf(script: string, meta: object = ENTRY_POINT): Buffer {
  const entries = [
    member({ name: 'run', mode: 0o755, content: programOf(script) }),
    member({ name: 'meta.json', content: JSON.stringify(meta) }),
  ];
  return gzipSync(tarOf(...entries));
}

function programOf(script: string): string {
  return script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`;
}

function inWords(event: AgentEvent): string | undefined {
  if (event.kind === 'module') {
    const { name, state, version = '', reason } = event;
    return reason === undefined
      ? `${name} ${state} ${version}`.trim()
      : `${name} failed: ${reason}`;
  }
  if (event.kind === 'stopped') {
    const { name, version, killedAfterMs } = event;
    return killedAfterMs === undefined
      ? `${name} stopped ${version}`
      : `${name} killed ${version} after ${killedAfterMs} ms`;
  }
  if (event.kind === 'restart-required')
    return `${event.installed} is installed, ${event.running} runs`;
  if (event.kind === 'prefetched') return `${event.name} has ${event.version}`;
  if (event.kind === 'prefetch-failed')
    return `${event.name} has no ${event.version} for ${event.retryMs} ms: ${event.reason}`;
  if (event.kind === 'failure-reported') {
    return `reported ${event.failure.version}: ${event.failure.reason}`;
  }
  if (event.kind === 'quarantined') return `quarantined ${event.version}: ${event.reason}`;
  if (event.kind === 'setup-changed') return `${event.name} has another setup`;
  if (event.kind === 'leaves') return `${event.name} leaves: ${event.because}`;
  if (event.kind === 'restart-status') return `${event.name} does not say: ${event.reason}`;
  if (event.kind === 'callback-error') return `error ${String(event.error)}`;
  if (event.kind === 'system-file') return `${event.path} ${event.state}`;
  if (event.kind === 'earlier-data') {
    const { name, folder, earlier } = event;
    return `${name} keeps its data in ${folder}, and had it in ${earlier.join(' ')}`;
  }
  if (event.kind === 'waiting') return `${event.name} waits for ${event.for.join(' ')}`;
  if (event.kind === 'held') {
    const [hold] = event.because;
    const said = hold?.reason === 'veto' ? hold.said : hold && 'answer' in hold ? hold.answer : '';
    return `${event.target.name} is held: ${hold?.reason} ${said}`;
  }
  if (event.kind === 'not-begun') return `${event.name} waits: ${event.reason}`;
  if (event.kind === 'superseded')
    return `${event.action.target.name} is not begun: ${event.action.to}`;
  if (event.kind !== 'acknowledged') return undefined;
  const { outcome } = event;
  if (outcome.kind === 'done') return 'done';
  return `failed (${outcome.blame}, ${outcome.running ?? 'none'}): ${outcome.reason}`;
}
