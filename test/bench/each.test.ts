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

test('figures are in the order of the benches, also of those that run at the same time', async () => {
  const running = { now: 0, most: 0 }
  const names = ['slow', 'second', 'third', 'last']
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const measure = async (name: string) => {
    running.most = Math.max(running.most, ++running.now)
    await (name === 'slow' ? held : Promise.resolve())
    if (name === 'last') release()
    running.now--
    return [figure(name)]
  }
  const { figures } = await measureEach(names, measure, 2)
  expect(figures).toEqual(names.map(figure))
  expect(running.most).toBe(2)
})
