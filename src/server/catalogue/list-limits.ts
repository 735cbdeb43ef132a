import type { ModuleId } from '../../core/index.ts';
import { jsonMeter } from '../../registry/formats/json-meter.ts';
import { DEFAULT_LIMITS, MOST_LIST_TOKENS } from '../../registry/http/limits.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Catalogue } from './catalogue.ts';
import type { ModuleDocument } from './module-document.ts';

/** A limit of clients that the release list of a module exceeds, or comes near to. */
export interface LimitWarning {
  readonly kind: 'list-near-limit' | 'list-too-large';
  /** One line with the size and the limit. */
  readonly message: string;
}

/** The share of a limit above which publishing warns. */
const NEAR = 0.8;

/**
 * The limits that the list of a module exceeds or comes near to; each is measured as clients measure it. None if the list cannot
 * be read: a publication that is on the disk must not seem to have failed.
 */
export function limitWarnings(catalogue: Catalogue, moduleId: ModuleId): LimitWarning[] {
  const document = readableDocument(catalogue, moduleId);
  if (!document) return [];
  const { bytes, count } = document;
  const { largestList } = DEFAULT_LIMITS;
  // Each comma or bracket takes a byte, so that a smaller list has too few of them.
  const tokens = bytes.length < NEAR * MOST_LIST_TOKENS ? 0 : tokensOf(bytes);
  const releases = `${count} releases`;
  return [
    ...warningFor(moduleId, { size: bytes.length, limit: largestList, unit: 'bytes', releases }),
    ...warningFor(moduleId, {
      size: tokens,
      limit: MOST_LIST_TOKENS,
      unit: 'commas and brackets',
      releases,
    }),
  ];
}

function readableDocument(catalogue: Catalogue, moduleId: ModuleId): ModuleDocument | undefined {
  try {
    return catalogue.document(moduleId);
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}

function tokensOf(bytes: Uint8Array): number {
  const meter = jsonMeter(Number.POSITIVE_INFINITY);
  meter.feed(bytes);
  return meter.tokens();
}

function warningFor(
  moduleId: ModuleId,
  {
    size,
    limit,
    unit,
    releases,
  }: {
    readonly size: number;
    readonly limit: number;
    readonly unit: string;
    readonly releases: string;
  },
): LimitWarning[] {
  if (size < NEAR * limit) return [];
  const found = `the list of ${moduleId} has ${size} ${unit} in ${releases}`;
  if (size > limit) {
    const message = `${found}, and machines refuse lists with more than ${limit}: they keep the list that they know`;
    return [{ kind: 'list-too-large', message }];
  }
  return [{ kind: 'list-near-limit', message: `${found}; machines refuse more than ${limit}` }];
}
