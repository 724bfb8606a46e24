/** The ratio cockpit as text. */
import type { Cockpit, ProgrammeView, ReadingView } from '../../books/programmes/cockpit.ts';
import {
  arithmeticText,
  forecastText,
  lineText,
  monthWords,
  numberText,
  openText,
  percentText,
  scopeWords,
} from '../../books/programmes/words.ts';

export function showCockpit(cockpit: Cockpit): string {
  const { scope, programmes, months, coming } = cockpit;
  const head = `Ratios of ${scopeWords(scope)}, ${monthWords(months.at(-1) ?? '')}`;
  const later = coming.map(({ name, valid_from }) => `From ${valid_from}: ${name}.`);
  return [head, ...programmes.map((view) => showProgramme(view, cockpit)), ...later].join('\n\n');
}

function showProgramme({ programme, readings, reported }: ProgrammeView, { now }: Cockpit): string {
  const told =
    reported === undefined
      ? []
      : reported.readings.map(
          ({ reading, ratioPercent }) =>
            `  reported for ${reported.month} (${reported.given.join(', ')}): ${reading.name} ${percentText(ratioPercent)}`,
        );
  return [
    `${programme.name} (${programme.scheme})`,
    ...readings.flatMap((reading) => showReading(reading, now)),
    ...told,
  ].join('\n');
}

function showReading(reading: ReadingView, now: Date): string[] {
  const { count, base, ratioPercent, lines, forecasts, open } = reading;
  return [
    `  ${reading.reading.name}: ${numberText(count)} of ${base === null ? 'no payments' : numberText(base)}, ${percentText(ratioPercent)}`,
    ...lines.flatMap(({ line, progress, isCrossed }, index) => {
      const ahead = forecasts[index];
      const arithmetic = ahead === undefined ? undefined : arithmeticText(ahead, reading);
      return [
        `    ${line.name} (${lineText(line)}): ${isCrossed ? 'crossed' : `${progress} % of the way`}. ${ahead === undefined ? '' : forecastText(ahead, now)}`,
        ...(arithmetic === undefined ? [] : [`      ${arithmetic}`]),
        ...(isCrossed || progress >= 50 ? [`      Next step: ${line.next_step}`] : []),
      ];
    }),
    ...(open === undefined ? [] : [`    ${openText(open)}`]),
  ];
}
