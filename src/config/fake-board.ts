import * as v from 'valibot';
import { fields, flag, listOf, someText, wholeNumber, type Schema } from './fields/fields.ts';
import { name } from './fields/name.ts';

/** Attributes of a board without hardware. (Fake board component) */
export interface FakeBoardAttributes {
  /** Whether the board raises an error at machine start-up. */
  readonly failNew: boolean;
  readonly analogs: readonly Analog[];
  readonly digitalInterrupts: readonly DigitalInterrupt[];
}

export interface Analog {
  readonly name: string;
  /** The physical pin on the ADC. */
  readonly pin: string;
  readonly chipSelect: string;
  readonly spiBus: string;
  /** Milliseconds. */
  readonly averageOverMs: number | undefined;
  readonly samplesPerSec: number | undefined;
}

export interface DigitalInterrupt {
  readonly name: string;
  /** The GPIO pin. */
  readonly pin: string;
}

const LARGEST = 2 ** 31 - 1;

const analog: Schema<Analog> = v.pipe(
  fields({
    name,
    pin: someText('the number of a pin as text'),
    chip_select: someText('the index of a chip select as text'),
    spi_bus: someText('the index of an SPI bus as text'),
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

const digitalInterrupt: Schema<DigitalInterrupt> = fields({
  name,
  pin: someText('the number of a GPIO pin as text'),
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
