import type { Danger, Level, Route } from './operation.ts'

/** The level of the first word of a summary; 0 for any other. */
const LEVELS: Readonly<Record<string, Level>> = {
  ...{ Change: 1, Clear: 1, Install: 1, Replace: 1, Reset: 1, Rotate: 1, Set: 1, Unlink: 1, Unmark: 1, Update: 1 },
  ...{ Archive: 2, Block: 2, Cancel: 2, Disable: 2, Disconnect: 2, Remove: 2, Revoke: 2 },
  ...{ Delete: 3, Destroy: 3, Give: 3, Purge: 3, Schedule: 3 },
}

/**
 * Summaries whose first word is misleading: cancelling a deletion ends no work, and a new version only replaces the
 * former one.
 */
const SPARES = /^Cancel .* (?:Deletion|Destruction)$/
const SUCCEEDS = /^Create .* Version$/

function levelOf(summary: string): Level {
  if (SPARES.test(summary) || SUCCEEDS.test(summary)) return 1
  const [verb = ''] = summary.split(' ', 1)
  return LEVELS[verb] ?? 0
}

/** `IAM` and `takeout_unwrap` are written as they are. */
const isFixed = (word: string): boolean => /[A-Z].*[A-Z]|_/.test(word)

/** The words of a summary as a label: `Delete Cloud-a Key Alias` becomes `Delete cloud-a key alias`. */
export const labelOf = (summary: string): string =>
  summary
    .split(' ')
    .map((word, at) => (at === 0 || isFixed(word) ? word : word.toLowerCase()))
    .join(' ')

/** What the operation of a label of level 3 ends, in a sentence. */
function usuallyLost(label: string): string {
  const [verb = '', ...words] = label.split(' ')
  if (verb === 'Give') return 'The work is not tried again; what it has done so far stays.'
  if (verb === 'Schedule')
    return `After the wait the ${words.slice(0, -1).join(' ')} cannot be brought back; until then this can be cancelled.`
  return `The ${words.join(' ')} cannot be brought back.`
}

/** The danger of an operation: declared, or derived from the words of its summary. */
export function dangerOf({ operation }: Pick<Route, 'operation'>): Danger {
  const { summary, danger, reads } = operation.declaration
  if (reads === true) return { level: 0 }
  const level = danger?.level ?? levelOf(summary)
  return level < 3 ? { level } : { level, lost: danger?.lost ?? usuallyLost(labelOf(summary)) }
}

/** The route of a call that ends something. @param lost what cannot be undone, in a sentence */
export const ending = (lost: string, { operation, ...route }: Route): Route => ({
  ...route,
  operation: { ...operation, declaration: { ...operation.declaration, danger: { level: 3, lost } } },
})
