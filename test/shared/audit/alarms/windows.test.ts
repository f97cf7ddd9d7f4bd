import { expect, test } from 'vitest'
import { counted, Windows } from '../../../../shared/audit/alarms/windows.ts'

const THREE_A_MINUTE = { threshold: 3, interval: 60 }

test.each([
  ['the first record', [], 1_000, 1],
  ['records within the interval', [1_000, 2_000], 3_000, 3],
  ['a record that is just too old', [1_000, 2_000], 61_000, 2],
  ['a record that comes late: the interval ends with the latest', [100_000], 1_000, 1],
  ['more than the threshold', [1, 2, 3], 4, 3],
])('counts %s', (_what, times, at, count) => {
  expect(counted(times, at, THREE_A_MINUTE)).toHaveLength(count)
})

test('a window restarts once it is full, counts each subject separately, and is dropped when its rule changes', () => {
  const rule = { id: 'r', updatedAt: 'v1', threshold: 2, interval: 60 }
  const windows = new Windows([], [rule])
  expect([windows.count(rule, 'a', 1), windows.count(rule, 'b', 2), windows.count(rule, 'a', 3)]).toEqual([1, 1, 2])
  expect(windows.count(rule, 'a', 4)).toBe(1)
  windows.forget(rule, 'b')
  expect(windows.stored().map(({ subject }) => subject)).toEqual(['a'])
  expect(new Windows(windows.stored(), [{ ...rule, updatedAt: 'v2' }]).stored()).toEqual([])
})
