import type { Result } from '../../core/index.ts';
import { parseModuleId } from '../../core/releases/module-id.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { LONGEST_SPREAD_MS } from '../../registry/http/limits.ts';
import type { TlsFiles } from '../../server/tls/tls-files.ts';
import { isOpenToOthers, parsePlace, type MetricsPlace } from '../base/metrics-place.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import { wholeNumber } from '../base/number-option.ts';
import { usage, type Problem } from '../../base/problem.ts';
import { SITE_PORT } from '../page/page-identity.ts';
import { needsTls } from '../page/page-terms.ts';
import { readTlsOptions } from '../base/tls-options.ts';
import type { CreatingOptions } from '../../site/catalogue-options.ts';

export interface ServeCommandOptions extends CreatingOptions, AnswerOptions {
  readonly host: string;
  readonly port: string;
  readonly spread: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly silentAfter?: string;
  readonly staged?: readonly string[];
  readonly metrics?: string;
  readonly notify?: string;
  /** Where the page is served; true for its usual place. */
  readonly page?: string | true;
}

/** The parsed options of `modreg registry serve`. */
export interface ServeTerms {
  readonly port: number;
  readonly spreadMs: number;
  readonly silentMs: number | undefined;
  readonly staged: readonly string[] | undefined;
  readonly tls: TlsFiles | undefined;
  readonly metrics: MetricsPlace | undefined;
  readonly page: MetricsPlace | undefined;
}

const LARGEST_PORT = 65_535;

/** Parses the options, and reports the first one that cannot be used. */
export function readServeTerms(options: ServeCommandOptions): Result<ServeTerms, Problem> {
  const port = wholeNumber('--port', options.port, LARGEST_PORT);
  if (!port.ok) return port;
  const spread = wholeNumber('--spread', options.spread, LONGEST_SPREAD_MS);
  if (!spread.ok) return spread;
  if (options.host === '') return { ok: false, error: usage('--host is empty') };
  const silent = silentMs(options.silentAfter);
  if (!silent.ok) return silent;
  const { staged } = options;
  const unknown = staged?.find((one) => one !== '*' && !parseModuleId(`${one}:a`).ok);
  if (unknown !== undefined) {
    return { ok: false, error: usage(`--staged: ${excerpt(unknown)} is not a namespace, or *`) };
  }
  const tls = readTlsOptions(options);
  if (!tls.ok) return tls;
  const metrics = parsePlace(options.metrics);
  if (!metrics.ok) return metrics;
  const page = pagePlace(options.page, tls.value);
  if (!page.ok) return page;
  const value = {
    port: port.value,
    spreadMs: spread.value,
    silentMs: silent.value,
    staged,
    tls: tls.value,
    metrics: metrics.value,
    page: page.value,
  };
  return { ok: true, value };
}

const LONGEST_SILENT_MS = 90 * 86_400_000;

function silentMs(text: string | undefined): Result<number | undefined, Problem> {
  if (text === undefined) return { ok: true, value: undefined };
  const parsed = parseDuration(text);
  if (parsed.ok && parsed.value >= 60_000 && parsed.value <= LONGEST_SILENT_MS) return parsed;
  const found = `--silent-after: ${excerpt(text)} is not a duration from 1m to 90d`;
  return { ok: false, error: usage(found) };
}

/** Where `--page` puts the page. Others than this machine reach it only with TLS. */
function pagePlace(
  page: ServeCommandOptions['page'],
  tls: TlsFiles | undefined,
): Result<MetricsPlace | undefined, Problem> {
  const place = parsePlace(page === true ? `127.0.0.1:${SITE_PORT}` : page, '--page');
  if (!place.ok || !place.value || tls || !isOpenToOthers(place.value)) return place;
  return { ok: false, error: needsTls(`--page is ${excerpt(place.value.host)}`, SITE_PORT) };
}
