import { didYouMean } from './arguments/suggest.ts'
import type { Group } from './command.ts'
import { misused, type Failure } from './failures.ts'
import { commandsBelow, knownWords, nextWords } from './find.ts'
import { continued, firstWordsFor, synonymOf } from './synonyms.ts'

/** The error for words that are not a command of their group. */
export function unknownCommand(group: Group, words: readonly string[]): Failure {
  const count = knownWords(group, words)
  const known = words.slice(0, count)
  const next = nextWords(group, known)
  const before = ['keymgr', group.word, ...known].join(' ')
  const wrong = words[count]
  const choices = `${before} takes one of: ${next.join(', ')}.`
  if (wrong === undefined) return misused(choices)
  const meant = synonymOf(group, known, wrong)
  const suggestion =
    meant === undefined ? didYouMean(wrong, next, `${before} `) : ` Did you mean ${before} ${meant.join(' ')}?`
  return misused(`${before} has no ${JSON.stringify(wrong)}.${suggestion}`, [choices])
}

/** The lists that one group has and not every group of `groups`: they distinguish a cloud from the others. */
function ownLists(group: Group, groups: readonly Group[]): string[] {
  const lists = nextWords(group, []).filter((word) => nextWords(group, [word]).includes('list'))
  return lists.filter((word) => !groups.every((each) => commandsBelow(each, [word]).length > 0))
}

/** Real names of clouds are unknown here: a sentence describes each cloud by what it has. */
function cloudsOf(words: readonly string[], groupOf: (word: string) => Group): string {
  const groups = words.filter((word) => /^cloud-[a-z]$/.test(word)).map(groupOf)
  const described = groups.map((group) => `${group.word} (${ownLists(group, groups).join(', ')})`)
  return `Clouds have neutral names: ${described.join('; ')}.`
}

/**
 * The error for a first word that no command begins with.
 * @param words the first words of all commands of the service
 * @param own those of keymgr itself
 */
export function unknownFirstWord(
  given: readonly string[],
  { words, own, groupOf }: { words: readonly string[]; own: readonly string[]; groupOf: (word: string) => Group },
): Failure {
  const [wrong = '', ...rest] = given
  const unknown = `keymgr has no ${JSON.stringify(wrong)}.`
  const lists = 'keymgr --help lists what there is.'
  const [first, ...more] = firstWordsFor(wrong, words) ?? []
  if (first !== undefined) {
    const meant = [first, ...continued(groupOf(first), more, rest)].join(' ')
    return misused(`${unknown} Did you mean keymgr ${meant}?`, [lists])
  }
  const suggestion = didYouMean(wrong, [...own, ...words])
  return misused(`${unknown}${suggestion}`, [...(suggestion === '' ? [cloudsOf(words, groupOf)] : []), lists])
}
