import { expect, test } from 'vitest'
import { isNew, stepsOf, type Facts } from '../../../clients/console/pages/overview/steps.ts'
import { settledOf } from '../../../clients/console/words/settled.ts'

const NOTHING: Facts = {
  ...{ connections: 0, working: 0, containers: 0, keys: 0, reads: 0, rotations: 0, users: 1, providers: 0 },
  hasOwnPassword: false,
}
const open = (facts: Partial<Facts>): readonly number[] =>
  stepsOf({ ...NOTHING, ...facts }).flatMap(({ isDone }, at) => (isDone ? [] : [at]))

test('existing records mark a step as done', () => {
  expect(open({})).toEqual([0, 1, 2, 3, 4, 5])
  expect(open({ hasOwnPassword: true, connections: 1 })).toEqual([1, 2, 3, 4, 5]) // not tested, or refused
  expect(open({ working: 1, containers: 1, keys: 1 })).toEqual([0, 4, 5])
  expect(open({ reads: 1 })).toContain(4)
  expect(open({ reads: 1, rotations: 1, providers: 1 })).toEqual([0, 1, 2, 3])
})

test('first steps are shown until there is a container, and never beside many keys', () => {
  expect(isNew(NOTHING)).toBe(true)
  expect(isNew({ ...NOTHING, connections: 1 })).toBe(true)
  expect(isNew({ ...NOTHING, connections: 1, containers: 1 })).toBe(false)
  expect(isNew({ ...NOTHING, keys: 4 })).toBe(false)
})

test('a figure waits for each of its sources, and knows which failed', () => {
  const pending = { data: undefined, error: null }
  const failed = { data: undefined, error: new Error('no') }
  const good = { data: 0, error: null }
  const of = (...answers: { data: unknown; error: Error | null }[]) =>
    settledOf(answers.map((answer, at) => ({ title: `source ${at}`, answer })))
  expect(of(good, pending, failed)).toMatchObject({ isSettled: false, pending: ['source 1'] })
  expect(of(good, failed)).toMatchObject({ isSettled: true, failed: [{ title: 'source 1' }] })
  expect(of(good, good)).toEqual({ isSettled: true, pending: [], failed: [] })
})
