import { readTrustDocument, type TrustDocument } from '../../../src/core/trust/trust-document.ts';
import type { CommandWish } from '../../../src/server/commands/command-table.ts';
import { APPROVER, role, trustOf, type TestKey } from '../../support/signed.ts';
import { commanded, type Circumstances, type Commanded } from './commanded.ts';

/*
 * Commands as operators sign them, written without the code that signs or checks.
 */

/** What a command that is signed says, as text. */
export interface Said {
  readonly site: string;
  readonly machine: string;
  readonly id: string;
  readonly kind: string;
  readonly module: string | null;
  readonly version: string | null;
  readonly given: string;
  readonly ends: string;
  readonly reason: string;
}

export const RESTART: Said = {
  site: 'acme-plant',
  machine: 'rover-7',
  id: 'q3J-BBBBBBBBBBBBBBBBBB',
  kind: 'restart',
  module: 'acme:lidar',
  version: null,
  given: '2026-11-29T12:01:00Z',
  ends: '2026-11-29T13:01:00Z',
  reason: 'no points',
};

/** The signature of `key` over a command. */
export function signatureBy(key: TestKey, said: Said): string {
  const { site, machine, id, kind, module, version, given, ends, reason } = said;
  const texts = [module, version].map((one) => (one === null ? 'null' : `"${one}"`));
  const lines = [site, machine, id, kind, ...texts, given, ends, `"${reason}"`];
  return key.sign(`modreg/command@1\n${lines.join('\n')}\n`);
}

/** A command as a registry stores it, with these signatures by the ids of their keys. */
export function wishOf(
  { id, kind, module, version, given, ends, reason }: Said,
  signatures: Readonly<Record<string, string>>,
): Partial<CommandWish> {
  return {
    key: id,
    kind: kind as CommandWish['kind'],
    module: module ?? undefined,
    version: version ?? undefined,
    reason,
    expiresAt: Date.parse(ends),
    signed: { id, givenAt: Date.parse(given), signatures },
  };
}

/** The trust document of acme-plant with these roles. */
export function documentOf(
  roles: readonly string[] = [role('namespace *', 1, APPROVER), role('operator', 1, APPROVER)],
  more: NonNullable<Parameters<typeof trustOf>[2]> = {},
): TrustDocument {
  const read = readTrustDocument(trustOf(roles, undefined, more).text);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

/** A machine whose policy names a trust document. */
export function pinnedTo(document: TrustDocument = documentOf()): Circumstances {
  return { isPinned: () => true, trust: async () => ({ ok: true, value: document }) };
}

/** The outcome of a restart that is refused. */
export function refused(why: string, typed = 'restart acme:lidar'): string {
  return `refused: the policy of the machine names a trust document, so that operators sign this: ${why}; give it again, or run modreg ${typed} on the machine`;
}

/** A machine with a pin, a minute after its first round. */
export async function pinned(): Promise<Commanded> {
  const machine = await commanded();
  await machine.round(pinnedTo());
  machine.now += 60_000;
  return machine;
}

/** The signature of `key` by its id. */
export function by(key: TestKey, said: Said = RESTART): Readonly<Record<string, string>> {
  return { [key.id]: signatureBy(key, said) };
}

/** A site that gives the signed command again, under another number. */
export function again(number: number, said: Said = RESTART): Circumstances {
  const { id, kind, module, version, given, ends: expires_at, reason } = said;
  const command = { number, kind, module, for: null, version, reason, by: 'site', expires_at };
  const commands = [
    { ...command, signed: { id, given_at: given, signatures: by(APPROVER, said) } },
  ];
  return {
    ...pinnedTo(),
    async fetch(...request) {
      const [to] = request;
      const { url } = to instanceof Request ? to : new Request(to);
      const nonce = /nonce=([\w-]+)/.exec(url)?.[1];
      if (nonce === undefined) return await fetch(...request);
      return Response.json({ machine: 'rover-7', nonce, now: said.given, commands });
    },
  };
}
