import { expect, test } from 'vitest'
import { inParts } from '../../../clients/console/clouds/parts.ts'

test.each([
  [0, []],
  [1, [1]],
  [100, [100]],
  [101, [100, 1]],
  [1_000, Array.from({ length: 10 }, () => 100)],
])('%i keys go to jobs of at most 100, each to one', (count, sizes) => {
  const keys = Array.from({ length: count }, (_, at) => `key-${at}`)
  const parts = inParts(keys, 100)
  expect(parts.map(({ length }) => length)).toEqual(sizes)
  expect(parts.flat()).toEqual(keys)
})
