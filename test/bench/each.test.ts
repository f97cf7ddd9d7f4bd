import { expect, test } from 'vitest'
import { measureEach } from '../../bench/each.ts'
import { exactly } from '../../bench/figure.ts'

const figure = (name: string) => ({ name, measured: exactly(1), note: '' })

test('a bench that breaks is named with its error, and the others are measured', async () => {
  const broken = new Error('Answered 403 instead of 200')
  const outcomes = await measureEach(['first', 'broken', 'last'], (name) =>
    name === 'broken' ? Promise.reject(broken) : Promise.resolve([figure(name)]),
  )
  expect(outcomes.figures).toEqual([figure('first'), figure('last')])
  expect(outcomes.broken).toEqual([{ name: 'broken', error: broken }])
})
