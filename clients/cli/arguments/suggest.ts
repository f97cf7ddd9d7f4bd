/** Number of letters to add, remove or replace to turn `a` into `b`. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [at, letter] of a.split('').entries()) {
    const next = [at + 1]
    for (const [place, other] of b.split('').entries()) {
      const exchanged = (row[place] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(exchanged, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/**
 * Commands that end, stop or remove something: never suggested, because running a wrong suggestion would lose
 * something.
 */
const DESTRUCTIVE =
  /^(revoke|destroy|purge|reset|clear|give-up|logout|block|archive|disconnect|(disable|remove|delete)(-.*)?|(hard|soft)-delete|schedule-(destroy|deletion))$/

export const isDestructiveWord = (word: string): boolean => DESTRUCTIVE.test(word)

/** Words of users who want to delete: a similar word, such as recover for remove, would mislead them. */
const WANTS_DELETION = /^(rm|del|remove|erase|drop|kill|delete|destroy|purge)$/

/** The word that the user probably meant by `given`. It is never a command that ends, stops or removes something. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  if (WANTS_DELETION.test(given)) return undefined
  const most = given.length < 4 ? 1 : Math.max(2, Math.floor(given.length / 3))
  const [best] = words
    .filter((word) => !isDestructiveWord(word))
    .map((word) => ({ word, far: word.startsWith(given) ? 1 : distance(given, word) }))
    .filter(({ far }) => far <= most)
    .toSorted((a, b) => a.far - b.far)
  return best?.word
}

/** ` Did you mean keys?`, or an empty text. */
export function didYouMean(given: string, words: readonly string[], before = ''): string {
  const word = nearest(given, words)
  return word === undefined ? '' : ` Did you mean ${before}${word}?`
}
