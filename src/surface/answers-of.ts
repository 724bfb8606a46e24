/** Each capability says in its own type which property answers what; a program finds them as one object. */
export function answersOf<Asked, All extends object>(
  questions: readonly ((asked: Asked) => object)[],
  asked: Asked,
): All {
  return together(questions.map((answers) => Object.entries(answers(asked))));
}

function together<All>(entries: readonly (readonly (readonly unknown[])[])[]): All {
  return Object.fromEntries(entries.flat());
}
