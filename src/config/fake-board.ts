import * as v from 'valibot';
import { fields, flag, listOf, nonEmptyText, wholeNumber, type Schema } from './fields/fields.ts';
import { name } from './fields/name.ts';

/** The attributes of a fake board, which simulates a board without hardware. */
export interface FakeBoardAttributes {
  /** Whether the board raises an error when the machine starts. */
  readonly failNew: boolean;
  /** The board's analog readers; empty if it has none. */
  readonly analogs: readonly {
    /** Unique among the analog readers. */
    readonly name: string;
    /** The pin index on the analog-to-digital converter, as text. */
    readonly pin: string;
    /** The index of the chip select line, as text. */
    readonly chipSelect: string;
    /** The index of the SPI bus, as text. */
    readonly spiBus: string;
    /** The window of the rolling average, in milliseconds. */
    readonly averageOverMs: number | undefined;
    /** Readings per second. */
    readonly samplesPerSec: number | undefined;
  }[];
  /** The board's digital interrupts; empty if it has none. */
  readonly digitalInterrupts: readonly {
    /** Unique among the interrupts. */
    readonly name: string;
    /** The GPIO pin, as text. */
    readonly pin: string;
  }[];
}

const LARGEST = 2 ** 31 - 1;

const analog: Schema<FakeBoardAttributes['analogs'][number]> = v.pipe(
  fields({
    name,
    pin: nonEmptyText('the number of a pin as text'),
    chip_select: nonEmptyText('the index of a chip select as text'),
    spi_bus: nonEmptyText('the index of an SPI bus as text'),
    average_over_ms: v.optional(wholeNumber(0, LARGEST)),
    samples_per_sec: v.optional(wholeNumber(0, LARGEST)),
  }),
  v.transform((entry) => ({
    name: entry.name,
    pin: entry.pin,
    chipSelect: entry.chip_select,
    spiBus: entry.spi_bus,
    averageOverMs: entry.average_over_ms,
    samplesPerSec: entry.samples_per_sec,
  })),
);

const digitalInterrupt: Schema<FakeBoardAttributes['digitalInterrupts'][number]> = fields({
  name,
  pin: nonEmptyText('the number of a GPIO pin as text'),
});

export const fakeBoardAttributes: Schema<FakeBoardAttributes> = v.pipe(
  fields({
    fail_new: flag(),
    analogs: v.optional(listOf(analog, 'a list of analogs'), []),
    digital_interrupts: v.optional(listOf(digitalInterrupt, 'a list of digital interrupts'), []),
  }),
  v.transform((attributes) => ({
    failNew: attributes.fail_new,
    analogs: attributes.analogs,
    digitalInterrupts: attributes.digital_interrupts,
  })),
);
