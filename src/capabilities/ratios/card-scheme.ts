/**
 * Which scheme a card brand belongs to: orders and processors say `visa`, notices say the token. Without this the
 * payments of one side never meet the notices of the other.
 */

import { z } from 'zod';
import { readPackageFile } from '../../base/kernel/package-file.ts';
import { readYaml } from '../../base/kernel/setting-file.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { IDENTITY_BRAND_TOKENS } from '../../service/wire/brand-tokens.ts';

/** A scheme, or everything that is neither. */
export type CardScheme = 'SCHEME_A' | 'SCHEME_B' | 'OTHER';

const names = z.array(z.string().regex(/^[A-Z0-9]+$/));
const fileSchema = z.strictObject({ SCHEME_A: names, SCHEME_B: names });

export type SchemeOf = (brand: string | null) => CardScheme;

/** Names that are remembered; orders may call brands whatever they like. */
const NAMES_MAX = 1_000;

/** Creates the look-up: the tokens, their configured names, and what `data/card-brands.yaml` lists. */
export function createSchemeOf(tokens: BrandTokenMap = IDENTITY_BRAND_TOKENS): SchemeOf {
  const url = new URL('./data/card-brands.yaml', import.meta.url);
  const brands = readYaml(readPackageFile(url), 'card-brands.yaml', fileSchema);
  const schemes = new Map<string, CardScheme>();
  for (const scheme of ['SCHEME_A', 'SCHEME_B'] as const) {
    for (const name of [scheme, tokens[scheme], ...brands[scheme]]) {
      schemes.set(brandKey(name), scheme);
    }
  }
  // Asked for every count of a page: a name is taken apart once.
  const known = new Map<string, CardScheme>();
  return (brand) => {
    const name = brand ?? '';
    const before = known.get(name);
    if (before !== undefined) return before;
    const scheme = schemes.get(brandKey(name)) ?? 'OTHER';
    if (known.size < NAMES_MAX) known.set(name, scheme);
    return scheme;
  };
}

/** The same as `brand_key` in the database. */
function brandKey(brand: string): string {
  return brand.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}
