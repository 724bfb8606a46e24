/**
 * What is handed in for a dispute: the pack's sentences in the fields that the processor has for them, the whole of it as
 * a file, and its documents. One file for each of the processor's kinds: several become one PDF. Pure, but for the joining.
 *
 * Nothing is ever cut. What does not fit is a problem that says what to shorten, and nothing is handed in.
 */
import type {
  EvidenceElement,
  EvidenceFileType,
  EvidenceSlot,
  EvidenceWanted,
} from '../../../service/wire/processor-dispute.ts';
import type { KeptDocument } from '../documents/in-force.ts';
import type { Part } from '../files/join-pdf.ts';
import { joinPdf, pagesIn } from '../files/join-pdf.ts';
import type { Pack } from '../pack.ts';

/** A file of several pieces. */
export interface Piece {
  /** For people. */
  readonly name: string;
  readonly bytes: number;
}

export interface ComposedFile {
  readonly slot: string;
  readonly name: string;
  readonly type: EvidenceFileType;
  readonly content: Uint8Array;
  /** What it is made of. */
  readonly pieces: readonly Piece[];
}

/** Why it cannot be handed in as it is. */
export type FilingProblem =
  | {
      readonly kind: 'text_too_long';
      readonly field: string;
      readonly chars: number;
      readonly charsMax: number;
    }
  | {
      readonly kind: 'field_empty';
      readonly field: string;
      readonly holds: readonly EvidenceElement[];
    }
  | {
      readonly kind: 'file_missing';
      readonly slot: string;
      readonly holds: readonly EvidenceElement[];
    }
  | {
      readonly kind: 'file_too_large';
      readonly file: string;
      readonly bytes: number;
      readonly bytesMax: number;
      /** @default the draft alone */
      readonly pieces?: readonly Piece[];
    }
  | {
      readonly kind: 'files_too_large';
      readonly bytes: number;
      readonly bytesMax: number;
      readonly pieces: readonly Piece[];
    }
  | { readonly kind: 'too_many_pages'; readonly pages: number; readonly pagesMax: number }
  | { readonly kind: 'too_many_files'; readonly document: string; readonly filesMax: number }
  | { readonly kind: 'wrong_format'; readonly file: string; readonly types: readonly string[] }
  /** The dispute takes neither a text nor a file that there is. */
  | { readonly kind: 'no_place' };

export interface Composition {
  /** By the processor's own name of the field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly ComposedFile[];
  /** Names of documents for which the processor has no kind of file: they are not handed in. */
  readonly leftOut: readonly string[];
  readonly problems: readonly FilingProblem[];
}

/** A document with its bytes. */
export interface HeldDocument
  extends Pick<KeptDocument, 'element' | 'name' | 'type'>,
    Pick<Part, 'content'> {}

export interface ComposeInput {
  readonly pack: Pack;
  /** The whole pack as one PDF. */
  readonly draft: Uint8Array;
  /** Those that the pack cites. */
  readonly documents: readonly HeldDocument[];
  readonly wants: EvidenceWanted;
}

export async function compose(input: ComposeInput): Promise<Composition> {
  const { pack, wants } = input;
  const placed = placesOf(input);
  const hasAll = wants.slots.some(
    ({ name, holds }) => holds.length === 0 && placed.parts.has(name),
  );
  const texts = fieldsOf(pack, wants, hasAll);
  const files = await Promise.all(
    [...placed.parts].map(([slot, parts]) => fileOf({ slot, parts }, wants)),
  );
  const isEmpty = Object.keys(texts.fields).length === 0 && files.length === 0;
  return {
    fields: texts.fields,
    files,
    leftOut: placed.leftOut,
    problems: [
      ...texts.problems,
      ...placed.problems,
      ...sizesOf(files, wants),
      ...(await tooManyPages(files, wants)),
      ...(isEmpty ? [{ kind: 'no_place' } as const] : []),
    ],
  };
}

function fieldsOf(
  pack: Pack,
  { fields: wanted }: EvidenceWanted,
  hasFile: boolean,
): Pick<Composition, 'fields' | 'problems'> {
  const fields: Record<string, string> = {};
  const problems: FilingProblem[] = [];
  for (const { name, holds, charsMax, isRequired, isInFile = false } of wanted) {
    const text = holds
      .flatMap((element) => pack.elements.find((each) => each.name === element)?.sentences ?? [])
      .map((sentence) => sentence.text)
      .join('\n');
    const chars = [...text].length;
    // What is in the file as a whole is not cut by leaving it out here.
    if (chars > charsMax && isInFile && hasFile) continue;
    if (chars > charsMax) problems.push({ kind: 'text_too_long', field: name, chars, charsMax });
    else if (chars > 0) fields[name] = text;
    else if (isRequired) problems.push({ kind: 'field_empty', field: name, holds });
  }
  return { fields, problems };
}

type NamedPart = Part & { readonly name: string };

interface Placed extends Pick<Composition, 'leftOut' | 'problems'> {
  /** By the kind of file that they become. */
  readonly parts: ReadonlyMap<string, readonly NamedPart[]>;
}

/**
 * Where each goes: a document to the kind of file that is for its element, the required ones first; the draft to the one
 * that is for anything, with the documents that have no kind of their own.
 */
function placesOf({ draft, documents, wants }: ComposeInput): Placed {
  const { slots, filesMax } = wants;
  const parts = new Map<string, NamedPart[]>();
  const problems: FilingProblem[] = [];
  const leftOut: string[] = [];
  const general = slots.find(({ holds }) => holds.length === 0);
  const put = (slot: EvidenceSlot | undefined, part: NamedPart): boolean => {
    if (slot === undefined || (!parts.has(slot.name) && parts.size >= filesMax)) return false;
    parts.set(slot.name, [...(parts.get(slot.name) ?? []), part]);
    return true;
  };
  put(general, { name: 'the draft', type: 'application/pdf', content: draft });
  const own = (element: EvidenceElement): EvidenceSlot | undefined =>
    slots.find(({ holds }) => holds.includes(element));
  const isForRequired = ({ element }: HeldDocument): boolean => own(element)?.isRequired === true;
  for (const document of documents.toSorted(
    (a, b) => Number(isForRequired(b)) - Number(isForRequired(a)),
  )) {
    const slot = own(document.element);
    if (put(slot, document) || put(general, document)) continue;
    if (slot === undefined && general === undefined) leftOut.push(document.name);
    else problems.push({ kind: 'too_many_files', document: document.name, filesMax });
  }
  for (const { name, holds, isRequired } of slots) {
    if (isRequired && !parts.has(name)) problems.push({ kind: 'file_missing', slot: name, holds });
  }
  return { parts, leftOut, problems };
}

async function fileOf(
  { slot, parts }: { readonly slot: string; readonly parts: readonly NamedPart[] },
  { slots, fileTypes }: EvidenceWanted,
): Promise<ComposedFile> {
  const [first] = parts;
  const isGeneral = slots.some(({ name, holds }) => name === slot && holds.length === 0);
  const base = isGeneral ? 'response' : slot;
  const pieces = parts.map(({ name, content }) => ({ name, bytes: content.length }));
  const single = parts.length === 1 && first !== undefined && fileTypes.includes(first.type);
  if (single || (parts.length === 1 && first?.type === 'application/pdf')) {
    const { type, content } = first;
    return { slot, name: `${base}.${ENDINGS[type]}`, type, content, pieces };
  }
  const content = await joinPdf(parts);
  return { slot, name: `${base}.pdf`, type: 'application/pdf', content, pieces };
}

const ENDINGS: Readonly<Record<EvidenceFileType, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
};

function sizesOf(files: readonly ComposedFile[], wants: EvidenceWanted): FilingProblem[] {
  const { fileTypes: types, fileBytesMax, allBytesMax } = wants;
  const bytesMax = Math.min(fileBytesMax, allBytesMax);
  const each = files.flatMap(({ name, type, content, pieces }): FilingProblem[] => {
    if (!types.includes(type)) return [{ kind: 'wrong_format', file: name, types }];
    const bytes = content.length;
    return bytes > bytesMax
      ? [{ kind: 'file_too_large', file: name, bytes, bytesMax, pieces }]
      : [];
  });
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (each.length > 0 || bytes <= allBytesMax) return each;
  const pieces = files.flatMap((file) => file.pieces);
  return [{ kind: 'files_too_large', bytes, bytesMax: allBytesMax, pieces }];
}

async function tooManyPages(
  files: readonly ComposedFile[],
  { pagesMax }: EvidenceWanted,
): Promise<FilingProblem[]> {
  if (pagesMax === undefined) return [];
  const counts = await Promise.all(files.map(pagesIn));
  const pages = counts.reduce((sum, count) => sum + count, 0);
  return pages > pagesMax ? [{ kind: 'too_many_pages', pages, pagesMax }] : [];
}

/** For people, with what to do. */
export function problemWords(problem: FilingProblem): string {
  switch (problem.kind) {
    case 'text_too_long':
      return `The text for ${problem.field} has ${problem.chars} characters of ${problem.charsMax}. Shorten what the order says, or hand the evidence in yourself.`;
    case 'field_empty':
      return `${problem.field} must be given, and the rows hold none of ${problem.holds.join(', ')}. Send it with the order.`;
    case 'file_missing':
      return `A file for ${problem.slot} must be given. Add a document that shows ${problem.holds.join(' or ')}, or hand the evidence in yourself.`;
    case 'file_too_large':
      return `${problem.file} has ${problem.bytes} bytes of ${problem.bytesMax}. ${cutWords(problem)}`;
    case 'files_too_large':
      return `All files together have ${problem.bytes} bytes of ${problem.bytesMax}. ${cutWords(problem)}`;
    case 'too_many_pages':
      return `All files together have ${problem.pages} pages of ${problem.pagesMax}. Add a shorter version of a document, or hand the evidence in yourself.`;
    case 'too_many_files':
      return `“${problem.document}” would be one file more than the ${problem.filesMax} that are taken. End a document that shows less, or hand the evidence in yourself.`;
    case 'wrong_format':
      return `${problem.file} is none of ${problem.types.join(', ')}. Hand the evidence in yourself.`;
    case 'no_place':
      return 'The dispute takes nothing of what there is. Hand the evidence in yourself.';
    default:
      return problem satisfies never;
  }
}

/** What to make smaller, and by how much. */
function cutWords({
  bytes,
  bytesMax,
  pieces = [],
}: {
  readonly bytes: number;
  readonly bytesMax: number;
  readonly pieces?: readonly Piece[];
}): string {
  const documents = pieces.length < 2 ? [] : pieces.filter(({ name }) => name !== 'the draft');
  const [largest] = documents.toSorted((a, b) => b.bytes - a.bytes);
  return largest === undefined
    ? 'Shorten what the order says, or hand the evidence in yourself.'
    : `Add a version of “${largest.name}” (${largest.bytes} bytes) that is ${bytes - bytesMax} bytes smaller, or hand the evidence in yourself.`;
}
