import { expect, test } from 'vitest'
import { FILES, vectorsOf } from './cavp.ts'

const judged = FILES.map(({ name, ask }) => {
  const vectors = vectorsOf(name)
  const asked = vectors.map((vector) => ({ vector, answer: ask(vector) })).filter(({ answer }) => answer !== undefined)
  return [name, vectors.length, asked.length, asked] as const
})

test.each(judged)(
  'CAVP %s: of %i vectors %i are supported, and each gives the published result',
  (_name, _all, count, asked) => {
    expect(asked.filter(({ answer }) => answer === false).map(({ vector }) => vector)).toEqual([])
    expect(count).toBeGreaterThan(0)
  },
)
