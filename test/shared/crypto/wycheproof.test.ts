import { expect, test } from 'vitest'
import { SETS, vectorsOf, type Outcome, type Vector } from './wycheproof.ts'

const WRONG: Readonly<Record<Vector['result'], Outcome | undefined>> = {
  valid: 'refused',
  invalid: 'accepted',
  acceptable: undefined,
}

const judged = SETS.map(({ name, ask }) => {
  const vectors = vectorsOf(name)
  const asked = vectors.map((vector) => ({ vector, outcome: ask(vector) }))
  return { name, vectors: vectors.length, asked: asked.filter(({ outcome }) => outcome !== 'not offered') }
})

test.each(judged.map((set) => [set.name, set.vectors, set.asked.length, set.asked] as const))(
  'Wycheproof %s: of %i vectors %i are asked for, and each is answered as it says',
  (_name, _vectors, count, asked) => {
    const wrong = asked
      .filter(({ vector, outcome }) => WRONG[vector.result] === outcome)
      .map(({ vector: { tcId, comment, result, flags }, outcome }) => ({ tcId, comment, result, flags, outcome }))
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(0)
  },
)
