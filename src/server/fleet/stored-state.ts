import * as v from 'valibot';
import { storedModule, type ModuleStates } from '../../registry/fleet-documents.ts';
import { factsProblem } from '../../registry/reported-facts.ts';
import type { Row } from '../../sqlite/statements.ts';
import { storedJson } from '../../sqlite/stored-value.ts';

type StoredState = ModuleStates['state'];

/**
 * What machines report about a module, from a row of `states`. What cannot be read of it is missing, and `unreadable` says why: an
 * earlier or later modreg may have stored it, or the file is damaged, and the rows of other machines are read all the same (T266).
 */
export function storedState(row: Row): StoredState {
  const known = {
    module_id: String(row['module_id']),
    deployed: String(row['deployed']),
    decision: String(row['decision']),
  };
  const content = storedJson(row['content']);
  if (!v.is(readable, content)) return { ...known, ...NOTHING, unreadable: 'its row is damaged' };
  const { facts, ...rest } = content;
  const problem = facts === null ? undefined : factsProblem(facts);
  if (problem === undefined) return { ...known, ...rest, facts };
  return { ...known, ...rest, facts: null, unreadable: `facts: ${problem}` };
}

const NOTHING = {
  constraint: null,
  target: null,
  reason: null,
  stops: [],
  facts: null,
  platform: 'unknown',
} as const;

const readable = v.omit(storedModule, ['module_id', 'deployed', 'decision', 'unreadable']);
