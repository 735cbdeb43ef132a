import type { Result } from '../../core/index.ts';
import type { SecretValues } from '../../registry/secret-documents.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';

/** Whose value it is, and what it is for. */
export interface SecretOf {
  readonly machine: string;
  readonly name: string;
  readonly places: readonly string[];
}

/** A value as the fronts of a cluster have it (D402). */
export interface SealedSecret {
  readonly places: readonly string[];
  /** The id of the key. */
  readonly key: string;
  readonly sealed: string;
}

/** The next value of a machine; null removes it. */
export interface SecretChange {
  readonly machine: string;
  readonly name: string;
  readonly secret: SealedSecret | null;
}

/** The key that fronts share. */
export interface SecretKey {
  /** Says which key it is, and nothing of it. */
  readonly id: string;
  /** The same text for the same value. */
  readonly seal: (of: SecretOf, value: string) => string;
  /** Undefined if it was not sealed with this key for this. */
  readonly open: (of: SecretOf, sealed: string) => string | undefined;
}

/** The values that a front has, each sealed with the key that it may have. */
export interface SealedSecrets {
  /** From now on, values are sealed and opened with this key. */
  readonly useKey: (key: SecretKey | undefined) => void;
  /** A value to append, or why this front cannot seal one. */
  readonly seal: (of: SecretOf, value: string) => Result<SealedSecret, string>;
  /** What a machine gets, or why this front cannot open it. */
  readonly open: (machine: string) => Result<SecretValues, string>;
  /** Null for a value that was removed. */
  readonly of: (machine: string) => ReadonlyMap<string, SealedSecret | null>;
}

const NO_KEY =
  'this front has no key for secrets: start it with --secrets-key and the file that the other fronts have';

export function sealedSecrets(sql: Statements): SealedSecrets {
  let key: SecretKey | undefined;
  return {
    useKey: (next) => (key = next),
    of: (machine) => sealedOf(sql, machine),
    seal(of, value) {
      if (!key) return { ok: false, error: NO_KEY };
      const other = otherKey(sql, key);
      if (other !== undefined) return { ok: false, error: other };
      return { ok: true, value: sealedBy(key, of, value) };
    },
    open(machine) {
      const values: Record<string, SecretValues[string]> = {};
      for (const [name, secret] of sealedOf(sql, machine)) {
        if (secret && !key) return { ok: false, error: NO_KEY };
        const opened = secret && key && openedBy(key, { machine, name }, secret);
        if (opened?.ok === false) return opened;
        values[name] = opened?.value ?? null;
      }
      return { ok: true, value: values };
    },
  };
}

export function sealedBy(key: SecretKey, of: SecretOf, value: string): SealedSecret {
  return { places: of.places, key: key.id, sealed: key.seal(of, value) };
}

function openedBy(
  key: SecretKey,
  { machine, name }: Pick<SecretOf, 'machine' | 'name'>,
  { places, key: of, sealed }: SealedSecret,
): Result<NonNullable<SecretValues[string]>, string> {
  if (of !== key.id) return { ok: false, error: wrongKey(of, key) };
  const value = key.open({ machine, name, places }, sealed);
  if (value !== undefined) return { ok: true, value: { value, places: [...places] } };
  return { ok: false, error: `the value of ${name} was not sealed for ${machine} and its places` };
}

function wrongKey(found: string, { id }: SecretKey): string {
  return `values of this cluster are sealed with the key ${found}, and this front has the key ${id}: start it with the file that the other fronts have`;
}

/** Why a value must not be sealed with `key`: others have another one. */
function otherKey(sql: Statements, key: SecretKey): string | undefined {
  const row = sql.get('SELECT key FROM machine_secrets WHERE key <> ? LIMIT 1', key.id);
  return row && wrongKey(String(row['key']), key);
}

function sealedOf(sql: Statements, machine: string): ReadonlyMap<string, SealedSecret | null> {
  const rows = sql.all('SELECT * FROM machine_secrets WHERE machine = ? ORDER BY name', machine);
  return new Map(rows.map((row) => [String(row['name']), secretIn(row)]));
}

function secretIn({ places, key, sealed }: Row): SealedSecret | null {
  if (sealed === null) return null;
  // Cast: only `saveSecret` and an import write them.
  const of = storedJson(places ?? '[]') as readonly string[];
  return { places: of, key: String(key), sealed: String(sealed) };
}

/** The caller has a transaction. */
export function saveSecret(sql: Statements, change: SecretChange): 'done' | 'unchanged' {
  const { machine, name, secret } = change;
  const before = sealedOf(sql, machine).get(name);
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(secret)) return 'unchanged';
  sql.run('INSERT OR REPLACE INTO machine_secrets VALUES (?, ?, ?, ?, ?)', ...columnsOf(change));
  return 'done';
}

/** The columns of its row. */
export function columnsOf({ machine, name, secret }: SecretChange): readonly (string | null)[] {
  const { places = [], key = null, sealed = null } = secret ?? {};
  return [machine, name, JSON.stringify(places), key, sealed];
}
