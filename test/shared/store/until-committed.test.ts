import { expect, test } from 'vitest'
import { Stale } from '../../../shared/store/changes.ts'
import { untilCommitted } from '../../../shared/store/until-committed.ts'

/** Work that loses its first races, with the number of its runs. */
function losing(races: number, error: Error = new Stale('Another writer came first')) {
  const done = { runs: 0 }
  const work = (): Promise<string> =>
    ++done.runs <= races ? Promise.reject(error) : Promise.resolve(`run ${done.runs}`)
  return { done, work }
}

test('repeats work that lost races, and answers as the run that won', async () => {
  expect(await untilCommitted(losing(0).work)).toBe('run 1')
  expect(await untilCommitted(losing(3).work)).toBe('run 4')
})

test('gives up after eight lost races, so that the loss is noticed', async () => {
  const { done, work } = losing(100)
  await expect(untilCommitted(work)).rejects.toThrow(Stale)
  expect(done.runs).toBe(8)
})

test('repeats no work that failed otherwise', async () => {
  const { done, work } = losing(1, new Error('no race'))
  await expect(untilCommitted(work)).rejects.toThrow('no race')
  expect(done.runs).toBe(1)
})
