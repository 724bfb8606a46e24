/**
 * The exchange rates of the sandbox: how many minor units of a currency make one US dollar. Fixed
 * and round, so that a test can do the sum by hand; a real network uses the rates of the day.
 */
export const MINOR_UNITS_PER_USD: Readonly<Record<string, number>> = {
  USD: 100,
  EUR: 80,
  GBP: 80,
  CHF: 80,
  CAD: 125,
  AUD: 160,
  NZD: 160,
  SEK: 1000,
  NOK: 1000,
  DKK: 640,
  PLN: 400,
  CZK: 2000,
  HUF: 32_000,
  BRL: 500,
  MXN: 2000,
  INR: 8000,
  JPY: 125,
  KRW: 1250,
  KWD: 320,
  BHD: 400,
};
