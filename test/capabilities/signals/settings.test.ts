/** Guarantee: one setting says who vouches for the processor's webhooks; two at once, a bad secret or a module without events are named, never shown. */
import { describe, expect, it } from 'vitest';
import { signDelivery } from '../../../src/alerts/receive/signature.ts';
import { systemClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { vouchFor } from '../../../src/capabilities/signals/vouch.ts';
import { readSettings } from '../../../src/running/config.ts';
import { SettingsError } from '../../../src/running/environment.ts';
import { merchantFaults } from '../../../src/running/installation/merchant-shape.ts';
import { tellsItself } from '../../../src/running/roles/open-events.ts';

const ONE = 'first-event-secret-7f3a';
const TWO = 'second-event-secret-91bc';
const TWO_WAYS =
  'FORESTALL_PROCESSOR_EVENTS and FORESTALL_PROCESSOR_EVENT_SECRETS are two ways to verify webhooks of the processor; set one.';

function faultsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

const opened = (env: Readonly<Record<string, string>>) =>
  vouchFor(openSettings(readSettings(env).given));

const noModule = () => Promise.reject(new Error('no module was to be loaded'));

describe('the settings', () => {
  it('are two ways, of which one is set: of an organisation and of a merchant', () => {
    const both = {
      FORESTALL_PROCESSOR_EVENTS: './events.ts',
      FORESTALL_PROCESSOR_EVENT_SECRETS: ONE,
    };
    expect(faultsOf(both)).toEqual([TWO_WAYS]);
    expect(merchantFaults(both)).toEqual([TWO_WAYS]);
    expect(merchantFaults({ FORESTALL_PROCESSOR_EVENT_SECRETS: ONE })).toEqual([]);
  });

  it.each([
    ['short', 'must have at least 16 characters'],
    [`${ONE},${ONE}`, 'names the same secret twice'],
    [`${ONE},${TWO},${ONE}1,${ONE}2`, 'must be at most 3 secrets'],
  ])('refuse %s', (list, problem) => {
    const env = { FORESTALL_PROCESSOR_EVENT_SECRETS: list };
    const faults = [`FORESTALL_PROCESSOR_EVENT_SECRETS ${problem}.`];
    expect(faultsOf(env)).toEqual(faults);
    expect(merchantFaults(env)).toEqual(faults);
  });

  it('serve one purpose each', () => {
    const env = {
      FORESTALL_PROCESSOR_EVENT_SECRETS: `${TWO},${ONE}`,
      FORESTALL_CONSOLE_TOKEN: ONE,
    };
    expect(faultsOf(env)).toEqual([
      'FORESTALL_CONSOLE_TOKEN is the same secret as FORESTALL_PROCESSOR_EVENT_SECRETS; use another one.',
    ]);
  });

  it('are asked for before the sandbox tells of itself', () => {
    expect(tellsItself(readSettings({}))).toBe(true);
    expect(tellsItself(readSettings({ FORESTALL_PROCESSOR_EVENT_SECRETS: ONE }))).toBe(false);
    expect(tellsItself(readSettings({ FORESTALL_PROCESSOR_EVENTS: './events.ts' }))).toBe(false);
  });
});

describe('who vouches', () => {
  it('is nobody where nothing is set', () => {
    expect(opened({})).toBeUndefined();
  });

  it('is each of the secrets', async () => {
    const open = opened({ FORESTALL_PROCESSOR_EVENT_SECRETS: `${TWO},${ONE}` });
    const events = await open?.({ clock: systemClock, importModule: noModule });
    const body = Buffer.from('{}');
    const seconds = Math.floor(systemClock.nowMs() / 1_000);
    const verdictUnder = async (secret: string) => {
      const headers = { 'x-signature': signDelivery(secret, body, seconds) };
      return (await events?.verify(body, headers, systemClock.nowMs()))?.kind;
    };
    expect(await verdictUnder(ONE)).toBe('genuine');
    expect(await verdictUnder(TWO)).toBe('genuine');
    expect(await verdictUnder(`${ONE}x`)).toBe('forged');
  });

  it('is what a module exports, by itself or as part of its processor', async () => {
    const open = opened({ FORESTALL_PROCESSOR_EVENTS: './events.ts' });
    const own = { name: 'acme', admits: () => true, verify: () => ({}), read: () => [] };
    const asked: unknown[] = [];
    const from = (module: unknown) =>
      open?.({
        clock: systemClock,
        importModule: (...what) => {
          asked.push(what);
          return Promise.resolve(module);
        },
      });
    expect(await from({ events: own })).toBe(own);
    expect(await from({ processor: { events: own } })).toBe(own);
    expect(asked).toEqual(Array(2).fill(['./events.ts', 'FORESTALL_PROCESSOR_EVENTS']));
    await expect(from({ events: { ...own, name: 'Acme Ltd' } })).rejects.toThrow(
      /^The module that FORESTALL_PROCESSOR_EVENTS names exports neither "events" nor/,
    );
  });
});
