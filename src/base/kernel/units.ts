/** Amounts and durations as a policy writes them: `49.90 USD`, `5000 JPY`, `6h`, `30d`. */
import type { Money } from './money.ts';
import { AMOUNT_MINOR_MAX, isCurrencyCode, minorUnitDigits } from './money.ts';

/** A value, or what is wrong with the text. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

const AMOUNT = /^(\d+)(?:\.(\d+))?\s+([A-Za-z]+)$/;

/** Reads an amount with its currency, exactly: no float is involved. */
export function parseAmount(text: string): Parsed<Money> {
  const match = AMOUNT.exec(text);
  const [, whole = '', fraction = '', currency = ''] = match ?? [];
  if (match === null) return no(`"${text}" is not an amount. Write it like 49.90 USD.`);
  if (!isCurrencyCode(currency)) {
    return no(`"${currency}" is not a currency. Write three capital letters, like USD.`);
  }
  const digits = minorUnitDigits(currency);
  if (fraction.length > digits) {
    return no(`${currency} has ${digits} decimals, "${text}" has ${fraction.length}.`);
  }
  const amountMinor = Number(whole + fraction.padEnd(digits, '0'));
  if (amountMinor > AMOUNT_MINOR_MAX) return no(`"${text}" is above any amount that is moved.`);
  return { ok: true, value: { amountMinor, currency } };
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,5})\s*([mhd])$/;

/** Reads a duration in minutes, hours or days. Returns milliseconds. */
export function parseDuration(text: string): Parsed<number> {
  const [, count = '', unit = ''] = DURATION.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined) return no(`"${text}" is not a duration. Write it like 30m, 6h or 2d.`);
  return { ok: true, value: Number(count) * unitMs };
}

const NUMBER = /^\d{1,9}(?:\.\d{1,4})?$/;

/** Reads a plain number, not below zero. */
export function parseNumber(text: string): Parsed<number> {
  return NUMBER.test(text)
    ? { ok: true, value: Number(text) }
    : no(`"${text}" is not a number. Write it like 3 or 0.5.`);
}

/** A duration as a person reads it: `6h`, `2d`, `90m`. */
export function formatDuration(durationMs: number): string {
  const units = Object.entries(UNIT_MS).reverse();
  const [unit, unitMs] = units.find(([, size]) => durationMs % size === 0) ?? ['m', 60_000];
  return `${Math.floor(durationMs / unitMs)}${unit}`;
}

/** A measured span, to the minute. */
export function formatSpan(spanMs: number): string {
  const minutes = Math.trunc(spanMs / 60_000);
  const [days, hours] = [Math.trunc(minutes / 1440), Math.trunc((minutes % 1440) / 60)];
  if (days !== 0) return `${days}d ${Math.abs(hours)}h`;
  return hours === 0 ? `${minutes}m` : `${hours}h ${Math.abs(minutes % 60)}m`;
}

function no(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
