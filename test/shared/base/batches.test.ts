import { expect, test } from 'vitest'
import { inBatches, inTurn } from '../../../shared/base/batches.ts'

const size = (text: string): number => text.length

test.each([
  ['nothing', [], []],
  ['as many as fit', ['a', 'b', 'c', 'd'], [['a', 'b', 'c'], ['d']]],
  ['as many bytes as fit', ['aaaa', 'bb', 'c', 'dddd'], [['aaaa'], ['bb', 'c'], ['dddd']]],
  ['one too large, alone', ['a', 'bbbbbbbbb', 'c'], [['a'], ['bbbbbbbbb'], ['c']]],
])('a batch holds %s', (_what, items, batches) => {
  expect(inBatches(items, { items: 3, bytes: 5 }, size)).toEqual(batches)
})

test('a short group does not wait for a long one', () => {
  expect(inTurn([[1, 2, 3, 4], [5], [6, 7]])).toEqual([1, 5, 6, 2, 7, 3, 4])
  expect(inTurn([])).toEqual([])
})
