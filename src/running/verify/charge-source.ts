/**
 * Where the checks of a merchant's own processor get charges from: a file of test-mode charges, used
 * one per check, or the endpoint itself, where it makes some on request.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock } from '../../base/kernel/clock.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import { createId } from '../../base/kernel/ids.ts';
import { createProcessorCall } from '../../service/processor/processor-call.ts';
import type { Processor } from '../../service/wire/processor.ts';
import { readCharge } from '../../service/wire/processor-contract.ts';
import type { FaultyFetch } from '../testing/faulty-fetch.ts';
import type { ConformanceFixture, FixtureCharge } from './conformance-check.ts';
import { CHARGE_MINOR_MIN, NoFixture } from './conformance-check.ts';

/** The charges file. Its words are in `templates/guides/reference/charges-file.md`. */
export const chargesFileSchema = z
  .array(
    z.strictObject({
      reference: z.string().min(1),
      amount_in_cents: z.number().int().min(CHARGE_MINOR_MIN),
      currency: z.string().regex(/^[A-Z]{3}$/),
    }),
  )
  .min(1);

/**
 * A fixture from a file: `[{"reference": "ch_…", "amount_in_cents": 1000, "currency": "USD"}, …]`, all
 * captured, not refunded, not disputed, in the processor's test mode.
 *
 * @throws {ConfigError} when the file is none
 */
export async function fixtureFromFile(path: string): Promise<ConformanceFixture> {
  const waiting = await readCharges(path);
  return {
    absentReference: 'ch_forestall_absent',
    newKey: () => createId('fst'),
    captured(): Promise<FixtureCharge> {
      const charge = waiting.shift();
      if (charge === undefined) {
        return Promise.reject(new NoFixture('no charge is left in the file; add more'));
      }
      return Promise.resolve(charge);
    },
  };
}

async function readCharges(path: string): Promise<FixtureCharge[]> {
  try {
    const charges = chargesFileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return charges.map(({ reference, amount_in_cents: amountMinor, currency }) => ({
      reference,
      amountMinor,
      currency,
    }));
  } catch (error) {
    throw new ConfigError(
      `${path} is no list of charges: ${messageOf(error)} Write [{"reference", "amount_in_cents" (at least ${CHARGE_MINOR_MIN}), "currency"}].`,
      { cause: error },
    );
  }
}

/** An endpoint of the HTTP contract. */
export interface Endpoint {
  readonly url: string;
  readonly secret: string;
  readonly clock: Clock;
  readonly processor: Processor;
  readonly faults: FaultyFetch;
}

/** A fixture of the endpoint's own making: it answers `POST /conformance/charges` in test mode. */
export function fixtureOfEndpoint(endpoint: Endpoint): ConformanceFixture {
  const { url, secret, clock, processor, faults } = endpoint;
  const call = createProcessorCall({ baseUrl: url, secret, clock });
  const make = async (status: 'captured' | 'authorised'): Promise<FixtureCharge> => {
    const end = await call({ method: 'POST', path: '/conformance/charges', body: { status } });
    const charge =
      end.kind === 'answer' && end.httpStatus === 200 ? readCharge(end.json) : undefined;
    if (charge !== undefined) return charge;
    const why = end.kind === 'none' ? end.reason : `it answered ${end.httpStatus}`;
    throw new NoFixture(
      `the endpoint makes no charges (${why}); answer POST /conformance/charges in test mode, or use --charges`,
    );
  };
  return {
    captured: () => make('captured'),
    authorised: () => make('authorised'),
    absentReference: 'ch_forestall_absent',
    newKey: () => createId('fst'),
    async refundedMinor(reference): Promise<number> {
      const answer = await processor.readCharge(reference);
      if (answer.kind !== 'found') throw new NoFixture('the charge cannot be read back');
      return answer.value.refunds
        .filter(({ status }) => status !== 'failed')
        .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    },
    offersFault: () => true,
    withFault: (fault, spoiled) => faults.withFault(fault, spoiled),
  };
}
