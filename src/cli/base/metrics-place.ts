import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';

/** Where metrics are served. */
export interface MetricsPlace {
  readonly host: string;
  readonly port: number;
}

const LARGEST_PORT = 65_535;

/** Parses the place of `--metrics`, or of another option. */
export function parsePlace(
  text: string | undefined,
  option: '--metrics' | '--page' = '--metrics',
): Result<MetricsPlace | undefined, Problem> {
  if (text === undefined) return { ok: true, value: undefined };
  const [, bracketed, name, digits = ''] =
    /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const [host, port] = [bracketed ?? name, Number(digits)];
  if (host !== undefined && port <= LARGEST_PORT) return { ok: true, value: { host, port } };
  const example = option === '--page' ? '127.0.0.1:4891' : '127.0.0.1:9464';
  const message = `${option} is ${quote(text)}, expected an address and a port, such as ${example}`;
  return { ok: false, error: { severity: 'error', kind: 'usage', message } };
}

/** Whether others than this machine may read the metrics. */
export function isOpenToOthers({ host }: MetricsPlace): boolean {
  return !/^(?:127\.|localhost$|::1$)/.test(host);
}
