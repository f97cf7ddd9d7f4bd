import { expect, test } from 'vitest'
import { costOf } from '../../../../shared/work/schedule/job-operations/cost.ts'

const WRITES = { name: 'writes', calls: 60, inSeconds: 60 }
const QUOTAS = {
  create: WRITES,
  enable: WRITES,
  wrap: { name: 'wrapping keys', calls: 20, inSeconds: 10 },
  read: { name: 'reads', calls: 5, inSeconds: 1 },
}

test('calls that share a quota add up, and the quota that they occupy longest decides', () => {
  const calls = { create: 1, enable: 2, wrap: 4, read: 10 }
  expect(costOf(QUOTAS, calls)).toEqual({ seconds: 3, calls, quota: 'writes: 60 a minute' })
})

test.each([
  [{ wrap: 1 }, { seconds: 0.5, quota: 'wrapping keys: 20 in 10 seconds' }],
  [
    { read: 1, wrap: 0 },
    { seconds: 0.2, quota: 'reads: 5 a second' },
  ],
])('the cost of %j', (calls, cost) => {
  expect(costOf(QUOTAS, calls)).toMatchObject(cost)
})
