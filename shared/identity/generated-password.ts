import { randomInt } from 'node:crypto'

const CLASSES = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz', '23456789', '-_.+=#%'] as const
const PASSWORD_CHARACTERS = 24

/** A password that satisfies the default rules, with about 140 bits. */
export function generatePassword(): string {
  const pick = (from: string): string => from.charAt(randomInt(from.length))
  const characters = [
    ...CLASSES.map(pick),
    ...Array.from({ length: PASSWORD_CHARACTERS - CLASSES.length }, () => pick(CLASSES.join(''))),
  ]
  for (let at = characters.length - 1; at > 0; at--) {
    const other = randomInt(at + 1)
    const [a = '', b = ''] = [characters[at], characters[other]]
    characters[at] = b
    characters[other] = a
  }
  return characters.join('')
}
