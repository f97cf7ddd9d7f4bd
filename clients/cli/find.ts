import type { CommandRow, Group } from './command.ts'

/** Whether a word of a command takes a value. */
export const isSlot = (word: string | undefined): boolean => word?.startsWith('<') === true

/** A command, and the words after it. */
export interface Found {
  readonly row: CommandRow
  readonly values: readonly string[]
}

const fits = (row: CommandRow, words: readonly string[], length: number): boolean =>
  row.words.slice(0, length).every((word, at) => word === words[at] || (isSlot(word) && words[at] !== undefined))

const slotsIn = (row: CommandRow): number => row.words.filter(isSlot).length

/**
 * The command that the words name. A command with exactly these words takes precedence over one that takes a value at
 * that position.
 */
export function findCommand({ commands }: Group, words: readonly string[]): Found | undefined {
  const [row] = commands
    .filter((each) => fits(each, words, each.words.length))
    .toSorted((a, b) => slotsIn(a) - slotsIn(b))
  if (row === undefined) return undefined
  const inSlots = words.filter((_, at) => isSlot(row.words[at]))
  return { row, values: [...inSlots, ...words.slice(row.words.length)] }
}

/** Commands that begin with all these words; none when a word is unknown. */
export const commandsBelow = ({ commands }: Group, words: readonly string[]): CommandRow[] =>
  commands.filter((row) => row.words.length > words.length && fits(row, words, words.length))

/** The number of words, from the first one, that commands of the group begin with. */
export function knownWords(group: Group, words: readonly string[]): number {
  let count = 0
  while (count < words.length && commandsBelow(group, words.slice(0, count + 1)).length > 0) count += 1
  return count
}

/** The words that may follow. */
export const nextWords = (group: Group, words: readonly string[]): string[] => [
  ...new Set(commandsBelow(group, words).flatMap((row) => row.words[words.length] ?? [])),
]
