import { didYouMean } from './arguments/suggest.ts'
import type { Group } from './command.ts'
import { misused, type Failure } from './failures.ts'
import { commandsBelow, isSlot, knownWords, nextWords } from './find.ts'
import { isDestructiveWord } from './arguments/suggest.ts'
import { continued, firstWordsFor, synonymOf } from './synonyms.ts'

/** Suggests a command at the level above: `keys upload` means `upload-key`, which is not a subcommand of `keys`. */
function besides(group: Group, known: readonly string[], wrong: string): string {
  if (known.length === 0 || known.some(isSlot)) return ''
  const above = known.slice(0, -1)
  const meant = synonymOf(group, above, wrong)
  return meant === undefined ? '' : ` Did you mean ${['keymgr', group.word, ...above, ...meant].join(' ')}?`
}

/** The error for a word where a value is expected that only some words can be, such as the service of a connection. */
function wrongSlot(group: Group, known: readonly string[]): Failure | undefined {
  const at = known.findIndex((word, index) => {
    const next = nextWords(group, known.slice(0, index))
    return next.some(isSlot) && !next.includes(word)
  })
  if (at === -1) return undefined
  const before = ['keymgr', group.word, ...known.slice(0, at)].join(' ')
  const words = nextWords(group, known.slice(0, at))
  const slot = words.find(isSlot) ?? ''
  const inSlot = nextWords(group, [...known.slice(0, at), slot])
  const choices = words.filter(
    (word) =>
      !isSlot(word) && group.commands.some(({ words: of }) => of[at] === word && inSlot.includes(of[at + 1] ?? '')),
  )
  if (choices.length === 0) return undefined
  return misused(`${before} takes ${slot} before ${JSON.stringify(known[at])}: one of ${choices.join(', ')}.`)
}

/** The error for words that are not a command of their group. */
export function unknownCommand(group: Group, words: readonly string[]): Failure {
  const count = knownWords(group, words)
  const known = words.slice(0, count)
  const slot = wrongSlot(group, known)
  if (slot !== undefined) return slot
  const next = nextWords(group, known)
  const before = ['keymgr', group.word, ...known].join(' ')
  const wrong = words[count]
  const choices = `${before} takes one of: ${next.join(', ')}.`
  if (wrong === undefined) return misused(choices)
  const meant = synonymOf(group, known, wrong)
  const suggestion =
    meant === undefined
      ? didYouMean(wrong, next, `${before} `) || besides(group, known, wrong)
      : ` Did you mean ${before} ${meant.join(' ')}?`
  return misused(`${before} has no ${JSON.stringify(wrong)}.${suggestion}`, [choices])
}

/** The lists that one group has and not every group of `groups`: they distinguish a cloud from the others. */
function ownLists(group: Group, groups: readonly Group[]): string[] {
  const lists = nextWords(group, []).filter((word) => nextWords(group, [word]).includes('list'))
  return lists.filter((word) => !groups.every((each) => commandsBelow(each, [word]).length > 0))
}

/** The sources contain no real names of clouds, so a sentence describes each cloud by its resources. */
function cloudsOf(words: readonly string[], groupOf: (word: string) => Group): string {
  const groups = words.filter((word) => /^cloud-[a-z]$/.test(word)).map(groupOf)
  const described = groups.map((group) => `${group.word} (${ownLists(group, groups).join(', ')})`)
  return `Clouds have neutral names: ${described.join('; ')}.`
}

const FOUND_MOST = 6

/** Commands of any group with a word that begins so, up to this word. None of them ends or removes anything. */
function commandsWith(wrong: string, groups: readonly Group[]): string[] {
  const isMeant = (word: string): boolean => word === wrong || word.startsWith(`${wrong}-`) || word === `${wrong}s`
  const found = groups.flatMap(({ word, commands }) =>
    commands.flatMap(({ words }) => {
      const at = words.findIndex(isMeant)
      const shown = words.slice(0, at + 1)
      return at === -1 || shown.some(isDestructiveWord) ? [] : [['keymgr', word, ...shown].join(' ')]
    }),
  )
  return [...new Set(found)].slice(0, FOUND_MOST)
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
    const meant = own.includes(first) ? first : [first, ...continued(groupOf(first), more, rest)].join(' ')
    return misused(`${unknown} Did you mean keymgr ${meant}?`, [lists])
  }
  const suggestion = didYouMean(wrong, [...own, ...words])
  if (suggestion !== '') return misused(`${unknown}${suggestion}`, [lists])
  const found = commandsWith(wrong, words.map(groupOf))
  const others = found.length === 0 ? cloudsOf(words, groupOf) : `Commands with this word: ${found.join('; ')}.`
  return misused(unknown, [others, lists])
}
