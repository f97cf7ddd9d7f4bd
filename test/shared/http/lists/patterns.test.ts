import fc from '../../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { patternTest } from '../../../../shared/http/lists/patterns.ts'

/** The reference meaning of a pattern, whose speed does not matter. */
function matches(pattern: string, text: string): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text === ''
  if (first === '*') return matches(rest.join(''), text) || (text !== '' && matches(pattern, text.slice(1)))
  return text !== '' && (first === '?' || first === text.charAt(0)) && matches(rest.join(''), text.slice(1))
}

test.each([
  ['', '', true],
  ['*', '', true],
  ['?', '', false],
  ['a*', 'a', true],
  ['*a*b', 'ab', true],
  ['a*a', 'a', false],
  ['*?b', 'ab', true],
  ['a?*c?', 'abxcd', true],
  ['**', 'anything', true],
  [`*${'?'.repeat(40)}b*`, `${'a'.repeat(45)}b`, true],
  [`*${'?'.repeat(40)}b*`, `${'a'.repeat(39)}b`, false],
  ['*é?*', 'aéb', true],
  [`*${'a?'.repeat(31)}c*`, `x${'ab'.repeat(31)}cd`, true],
])('%s on %s gives %s', (pattern, text, expected) => {
  expect(patternTest([pattern])(text)).toBe(expected)
})

test('a pattern matches as defined, with any parts', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '?', '*'), maxLength: 8 })
  fc.assert(
    fc.property(patterns, letters, (pattern, text) => {
      expect(patternTest([pattern])(text)).toBe(matches(pattern, text))
    }),
    { numRuns: 2_000 },
  )
})

test('any of several values may match', () => {
  const test = patternTest(['one', 't*', 'f??r'])
  expect(['one', 'two', 'four', 'five', 'ones'].map(test)).toEqual([true, true, true, false, false])
})
