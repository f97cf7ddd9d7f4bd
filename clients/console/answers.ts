/** Members of answers whose type is not known where they are read. */

/** A text of an answer; `undefined` if it has none of this name. */
export function textIn(answer: unknown, member: string): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const value: unknown = Object.entries(answer).find(([name]) => name === member)?.[1]
  return typeof value === 'string' ? value : undefined
}

/** A text that the description promises. @throws Error if the answer has none of this name */
export function memberOf(answer: unknown, member: string): string {
  const value = textIn(answer, member)
  if (value === undefined) throw new Error(`The answer has no ${member}`)
  return value
}
