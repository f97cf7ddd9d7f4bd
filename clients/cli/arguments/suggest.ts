/** Number of letters to add, remove, replace or exchange with the next one to turn `a` into `b`. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const at = (row: number, place: number): number => rows[row]?.[place] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row]
    rows.push(next)
    for (let place = 1; place <= b.length; place += 1) {
      const isSame = a[row - 1] === b[place - 1]
      const isSwapped = row > 1 && place > 1 && a[row - 1] === b[place - 2] && a[row - 2] === b[place - 1]
      next.push(
        Math.min(
          at(row - 1, place - 1) + (isSame ? 0 : 1),
          at(row - 1, place) + 1,
          at(row, place - 1) + 1,
          isSwapped ? at(row - 2, place - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}

/**
 * Commands that end, stop or remove something: never suggested, because running a wrong suggestion would lose
 * something.
 */
const DESTRUCTIVE =
  /^(revoke|destroy|purge|reset|clear|give-up|logout|block|archive|disconnect|(disable|remove|delete)(-.*)?|(hard|soft)-delete|schedule-(destroy|deletion))$/

export const isDestructiveWord = (word: string): boolean => DESTRUCTIVE.test(word)

/**
 * Words of users who want to delete or stop something: a similar word, such as recover for remove or reactivate for
 * deactivate, would mislead them.
 */
const WANTS_END = /^(rm|del|remove|erase|drop|kill|delete|destroy|purge|deactivate|disable|expire|suspend|lock)$/

/** The word that the user probably meant by `given`. It is never a command that ends, stops or removes something. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  if (WANTS_END.test(given)) return undefined
  const most = given.length < 6 ? 1 : Math.floor(given.length / 3)
  const isShort = given.length < 4 // another first letter makes another word of it
  const [best] = words
    .filter((word) => !isDestructiveWord(word) && !(isShort && word[0] !== given[0]))
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
