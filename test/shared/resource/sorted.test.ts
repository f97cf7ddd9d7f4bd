import { expect, test } from 'vitest'
import { compareValues } from '../../../shared/resource/sorted.ts'

const sorted = (values: readonly unknown[]): unknown[] => values.toSorted(compareValues)

test('times sort by their moment, whatever their offset and their fractions are', () => {
  const inOrder = [
    '2030-01-01T02:00:00+05:00', // the evening before, in UTC
    '2029-12-31T23:30:00Z',
    '2030-01-01T00:00:00Z',
    '2030-01-01T00:00:00.250Z',
    '2030-01-01T00:00:00.500000Z',
    '2029-12-31T22:00:01-02:00',
    '2030-01-01T00:00:02Z',
  ]
  expect(sorted(inOrder.toReversed())).toEqual(inOrder)
})

test('absent values precede times', () => {
  expect(compareValues(undefined, '2030-01-01T00:00:00Z')).toBe(-1)
  expect(compareValues('2030-01-01T02:00:00+05:00', null)).toBe(1)
})

test('one moment in two notations has one order', () => {
  const one = ['2030-01-01T00:00:00Z', '2030-01-01T01:00:00+01:00']
  expect(sorted(one)).toEqual(sorted(one.toReversed()))
})

test('other texts sort by code unit, also beside times', () => {
  const texts = ['', '2030', '2030-01-01T00:00:00Z', '2030-01-01T00:00:00Zz', 'Key 1', 'key-10', 'key-9']
  expect(sorted(texts.toReversed())).toEqual(texts)
})
