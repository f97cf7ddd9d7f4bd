import type { Declaration } from './operation.ts'

/** Verbs of reads: a record, a list of them, a search. Policies have one action for all three. */
const READING: readonly string[] = ['Get', 'List', 'Query']
const OF_SEVERAL: readonly string[] = ['List', 'Query']

const capitalized = (word: string): string =>
  word
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')

/** `Keys` becomes `Key`, `Policies` becomes `Policy`; `KMS` is unchanged. */
const singular = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : /[^sS]s$/.test(word) ? word.slice(0, -1) : word

/**
 * The name of an operation's action in policies: the words of its summary, with `Read` for a record and for lists of
 * them. `Create Key` becomes `CreateKey`, `Get Key` and `List Keys` `ReadKey`, `List Cloud-a Keys` `ReadCloudAKey`.
 */
export function actionOf({ action, summary }: Pick<Declaration<never, never, never>, 'action' | 'summary'>): string {
  if (action !== undefined) return action
  const [verb = '', ...words] = summary.split(' ')
  const last = words.pop() ?? ''
  const named = [READING.includes(verb) ? 'Read' : verb, ...words, OF_SEVERAL.includes(verb) ? singular(last) : last]
  return named.map(capitalized).join('')
}
