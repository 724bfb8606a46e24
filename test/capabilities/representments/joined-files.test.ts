/**
 * Guarantee: documents go to the processor's own kind of file, several as one PDF whose pages are those that they had;
 * the same files are the same bytes; what is too large, too long or too many is refused with what to cut, and never cut.
 */
import { decode, encode } from 'fast-png';
import { expect, it } from 'vitest';
import { joinPdf } from '../../../src/capabilities/representments/files/join-pdf.ts';
import { openPdf, pictureOf } from '../../../src/capabilities/representments/files/pdfium.ts';
import { textPdf } from '../../../src/capabilities/representments/files/text-pdf.ts';
import type {
  Composition,
  HeldDocument,
} from '../../../src/capabilities/representments/filing/compose.ts';
import { compose, problemWords } from '../../../src/capabilities/representments/filing/compose.ts';
import type { Pack } from '../../../src/capabilities/representments/pack.ts';
import type { EvidenceWanted } from '../../../src/service/wire/processor-dispute.ts';

const AT = new Date('2026-03-01T00:00:00Z');
const page = (text: string): Promise<Buffer> => textPdf('A page', text, AT);

/** A red square. */
const SQUARE = encode({
  ...{ width: 60, height: 60, channels: 3 },
  data: Uint8Array.from({ length: 60 * 60 * 3 }, (_each, index) => (index % 3 === 0 ? 255 : 0)),
});

const document = async (
  element: HeldDocument['element'],
  name: string,
  content?: Uint8Array,
): Promise<HeldDocument> => ({
  element,
  name,
  type: content === undefined ? 'application/pdf' : 'image/png',
  content: content ?? (await page(`words of ${name}`)),
});

const WANTS: EvidenceWanted = {
  fields: [],
  slots: [
    { name: 'refund_policy', holds: ['refund_policy'], isRequired: false },
    { name: 'other', holds: [], isRequired: false },
  ],
  fileTypes: ['application/pdf', 'image/png'],
  ...{ fileBytesMax: 1_000_000, allBytesMax: 1_000_000, filesMax: 5 },
};

// No field asks for a sentence here.
const PACK: Pack = {
  ...{ representmentId: 'r', reasonCode: null, ruleName: 'x', title: 'x', contentHash: 'x' },
  rule: {
    name: 'x',
    title: 'x',
    codes: [],
    required: [],
    helpful: [],
    source: 'x',
    confidence: 'x',
  },
  ...{ elements: [], missing: [], sections: [], cited: [], documents: [] },
};

async function composed(
  documents: readonly HeldDocument[],
  wants: Partial<EvidenceWanted> = {},
): Promise<Composition> {
  const draft = await page('words of the draft');
  return await compose({ pack: PACK, draft, documents, wants: { ...WANTS, ...wants } });
}

const wordsOf = async (content: Uint8Array): Promise<string[]> =>
  (await openPdf(content))?.words.split('\n').map((line) => line.trim()) ?? [];

it('documents join the file that is theirs; the others follow the draft, page by page', async () => {
  const policy = await document('refund_policy', 'policy');
  const policy2 = await document('refund_policy', 'annex');
  const terms = await document('terms', 'terms');
  const { files, problems, leftOut } = await composed([
    terms,
    policy,
    policy2,
    await document('items', 'square', SQUARE),
  ]);
  expect([problems, leftOut]).toEqual([[], []]);
  expect(files.map(({ slot, name, type }) => [slot, name, type])).toEqual([
    ['other', 'response.pdf', 'application/pdf'],
    ['refund_policy', 'refund_policy.pdf', 'application/pdf'],
  ]);
  const [response, policies] = files;
  expect(await wordsOf(response!.content)).toEqual(['words of the draft', 'words of terms', '']);
  expect(await wordsOf(policies!.content)).toEqual(['words of policy', 'words of annex']);

  // Each page as the bank sees it: the first two have ink, the last has the red of the picture.
  const colours = async (index: number): Promise<{ dark: number; red: number }> => {
    const picture = await pictureOf(response!.content, { page: index, width: 400 });
    const { data, width, height, channels } = decode(picture?.png ?? new Uint8Array());
    expect([width, height]).toEqual([400, 566]);
    let dark = 0;
    let red = 0;
    for (let at = 0; at < data.length; at += channels) {
      const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3);
      if (r < 160 && g < 160 && b < 160) dark += 1;
      if (r > 200 && g < 50 && b < 50) red += 1;
    }
    return { dark, red };
  };
  expect((await colours(0)).dark).toBeGreaterThan(30);
  expect((await colours(1)).dark).toBeGreaterThan(30);
  // 60 points of 595, at 400 pixels: a square of 40.
  expect((await colours(2)).red).toBeGreaterThan(1_400);
  expect(await pictureOf(response!.content, { page: 3, width: 400 })).toBeUndefined();
});

it('the same files are the same bytes', async () => {
  const parts = [
    { type: 'application/pdf', content: await page('one') },
    { type: 'image/png', content: SQUARE },
  ] as const;
  expect(await joinPdf(parts)).toEqual(await joinPdf(parts));
});

it('a single picture goes as it is where pictures are taken, and as a page where they are not', async () => {
  const picture = await document('refund_policy', 'square', SQUARE);
  const typeOf = ({ files }: Composition): unknown =>
    files.find(({ slot }) => slot === 'refund_policy')?.name;
  expect(typeOf(await composed([picture]))).toBe('refund_policy.png');
  const onlyPdf = { fileTypes: ['application/pdf'] as const };
  expect(typeOf(await composed([picture], onlyPdf))).toBe('refund_policy.pdf');
});

it('what does not fit is refused with what to cut, and every byte stays', async () => {
  const policy = await document('refund_policy', 'policy');
  const terms = await document('terms', 'terms');
  const whole = await composed([terms, policy]);
  const sizes = whole.files.map(({ content }) => content.length);
  const [response = 0, own = 0] = sizes;
  const all = response + own;

  expect((await composed([terms, policy], { fileBytesMax: response })).problems).toEqual([]);
  const tooLarge = await composed([terms, policy], { fileBytesMax: response - 1 });
  expect(tooLarge.problems.map(problemWords)).toEqual([
    `response.pdf has ${response} bytes of ${response - 1}. Add a version of “terms” (${terms.content.length} bytes) that is 1 bytes smaller, or hand the evidence in yourself.`,
  ]);
  expect(tooLarge.files.map(({ content }) => content.length)).toEqual(sizes);

  expect((await composed([terms, policy], { allBytesMax: all })).problems).toEqual([]);
  const together = await composed([terms, policy], { allBytesMax: all - 1 });
  expect(together.problems).toMatchObject([
    { kind: 'files_too_large', bytes: all, bytesMax: all - 1 },
  ]);

  expect((await composed([terms, policy], { pagesMax: 3 })).problems).toEqual([]);
  const long = await composed([terms, policy], { pagesMax: 2 });
  expect(long.problems).toEqual([{ kind: 'too_many_pages', pages: 3, pagesMax: 2 }]);
  expect(long.files.map(({ content }) => content.length)).toEqual(sizes);
});

it('a file more than are taken joins the draft; without a place it is left out, or refused', async () => {
  const policy = await document('refund_policy', 'policy');
  const terms = await document('terms', 'terms');
  const one = await composed([policy, terms], { filesMax: 1 });
  expect(one.problems).toEqual([]);
  expect(await wordsOf(one.files[0]!.content)).toEqual([
    'words of the draft',
    'words of policy',
    'words of terms',
  ]);
  const own = WANTS.slots.slice(0, 1);
  const noPlace = await composed([policy, terms], { slots: own });
  expect(noPlace.leftOut).toEqual(['terms']);
  const two = [...own, { name: 'terms', holds: ['terms'] as const, isRequired: true }];
  const refused = await composed([policy, terms], { slots: two, filesMax: 1 });
  // The one that must be given comes first.
  expect(refused.files.map(({ slot }) => slot)).toEqual(['terms']);
  expect(refused.problems).toEqual([{ kind: 'too_many_files', document: 'policy', filesMax: 1 }]);
  expect((await composed([policy], { slots: two })).problems.map(problemWords)).toEqual([
    'A file for terms must be given. Add a document that shows terms, or hand the evidence in yourself.',
  ]);
});
