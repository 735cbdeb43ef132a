import { Counter, Gauge, type Registry } from 'prom-client';
import { DatabaseError } from '../../sqlite/database-error.ts';

/** The labels and the value of a line. */
export type Sample<Label extends string> = readonly [Readonly<Record<Label, string>>, number];

interface Sampled<Label extends string> {
  /** A counter only grows, until what it counts begins again. */
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** The lines; none if it throws a DatabaseError: the state of the machine cannot be read now. */
  readonly read: () => Iterable<Sample<Label>> | Promise<Iterable<Sample<Label>>>;
}

/** Adds a metric whose lines are read when the metrics are. */
export function addSampled<Label extends string = never>(
  registry: Registry,
  { type, name, help, labels, read }: Sampled<Label>,
): void {
  const samples = async (): Promise<Iterable<Sample<Label>>> => {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DatabaseError) return [];
      throw error;
    }
  };
  const metric: Counter<Label> | Gauge<Label> = new (type === 'counter' ? Counter : Gauge)({
    name,
    help,
    labelNames: labels,
    registers: [],
    async collect() {
      const lines = await samples();
      metric.reset();
      // One without labels has a line otherwise.
      if (labels.length === 0) metric.remove();
      for (const [of, value] of lines) metric.inc(of, value);
    },
  });
  registry.registerMetric(metric);
}
