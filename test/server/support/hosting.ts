import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { artifactFolder } from '../../../src/server/artifacts/artifact-store.ts';
import { Catalogue, serveRegistry } from '../../../src/server/index.ts';
import { SERVER_LIMITS, type ServerLimits } from '../../../src/server/server-limits.ts';
import type { RegistryEvent } from '../../../src/server/registry-options.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { tokenFor } from '../../support/token.ts';

export const MODULE = '/v1/modules/acme/lidar';
export const BYTES: Buffer<ArrayBuffer> = Buffer.from('0123456789');
export const HEX: string = sha256Of(BYTES);
export const UPLOAD: string = `${MODULE}/artifacts/sha256/${HEX}`;
export const FILE: string = `/v1/artifacts/sha256/${HEX}`;

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The name of the problem. */
  readonly problem: string | undefined;
}

/** A registry that hosts files, with a token that may publish for `acme`. */
export class Hosting {
  readonly events: RegistryEvent[] = [];
  readonly catalogue: Catalogue;
  readonly token: string;
  readonly #atEnd: (end: () => Promise<void>) => void;
  address = '';

  /** `atEnd` is given what ends it. */
  constructor(
    folder: string = temporaryFolder(),
    atEnd: (end: () => Promise<void>) => void = onTestFinished,
  ) {
    this.catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'create' });
    this.token = tokenFor(this.catalogue, ['publish:acme'], 'ci');
    this.#atEnd = atEnd;
  }

  async serve(limits: Partial<ServerLimits> = {}): Promise<this> {
    const running = await serveRegistry(
      this.catalogue,
      { host: '127.0.0.1', port: 0 },
      { limits: { ...SERVER_LIMITS, ...limits }, log: (event) => this.events.push(event) },
    );
    this.#atEnd(async () => {
      await running.close();
      this.catalogue.close();
    });
    this.address = running.address;
    return this;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${this.address}${path}`, init);
    const { status, headers } = response;
    const text = await response.text();
    const isProblem = headers.get('content-type') === 'application/problem+json';
    const problem = isProblem
      ? Object(JSON.parse(text)).type.replace('urn:modreg:', '')
      : undefined;
    return { status, headers, text, problem };
  }

  async put(
    path: string,
    body: Uint8Array<ArrayBuffer>,
    token: string = this.token,
  ): Promise<Answer> {
    return await this.ask(path, {
      method: 'PUT',
      body,
      headers: { authorization: `Bearer ${token}` },
    });
  }

  async publish(version: string, fields: object = {}): Promise<Answer> {
    const hosted = { url: `../../artifacts/sha256/${HEX}`, digest: `sha256:${HEX}`, size: 10 };
    const artifacts = [{ platform: 'any', ...hosted, ...fields }];
    return await this.ask(`${MODULE}/releases`, {
      method: 'POST',
      body: JSON.stringify({ version, artifacts }),
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
    });
  }

  /** A connection that has sent the head of an upload, and `body`. */
  client(head: string, body = '', token: string = this.token): Socket {
    const { port } = new URL(this.address);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `PUT ${UPLOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${head}\r\n\r\n`,
    );
    socket.write(body);
    onTestFinished(() => void socket.destroy());
    return socket;
  }

  /** The bytes of the file that is being received; undefined if there is none. */
  received(): number | undefined {
    const folder = `${artifactFolder(this.catalogue.path)}/incoming`;
    const [part] = existsSync(folder) ? readdirSync(folder) : [];
    return part === undefined ? undefined : statSync(`${folder}/${part}`).size;
  }

  /** The files of the store, without folders. */
  files(): string[] {
    const folder = artifactFolder(this.catalogue.path);
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
    return names.filter((name) => /\/.{64}/.test(name)).map((name) => name.replace(HEX, 'HEX'));
  }
}

export async function hosting(limits: Partial<ServerLimits> = {}): Promise<Hosting> {
  return await new Hosting().serve(limits);
}

/** A registry with a release that lists the file. */
export async function publishing(hosted: Hosting = new Hosting()): Promise<Hosting> {
  const registry = await hosted.serve();
  expect((await registry.put(UPLOAD, BYTES)).status).toBe(201);
  expect((await registry.publish('1.0.0')).status).toBe(201);
  return registry;
}

/** Such a registry for all tests of a block, which only read it. */
export function publishingOnce(): () => Hosting {
  const started: { registry?: Hosting } = {};
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'modreg-'));
    const ends: (() => Promise<void>)[] = [];
    started.registry = await publishing(new Hosting(folder, (end) => ends.push(end)));
    return async () => {
      for (const end of ends) await end();
      rmSync(folder, { recursive: true });
    };
  });
  return () => {
    if (!started.registry) throw new Error('the registry is started before the first test');
    return started.registry;
  };
}
