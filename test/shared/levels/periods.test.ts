import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../shared/base/time.ts'
import { fewPiecesOf } from '../../../shared/levels/periods.ts'
import { SPANS } from '../../../shared/levels/store.ts'
import fc from '../../support/fast-check.ts'

const BEGIN = Date.parse('2030-01-01T00:00:00Z')
const hour = (at: number): Date => new Date(BEGIN + at * HOUR_MS)

test('the pieces of a past period cover each of its hours once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 200 }), (first, hours) => {
      const period = { from: hour(first), to: hour(first + hours) }
      let covered = period.from.getTime()
      for (const { span, from } of fewPiecesOf(period, hour(1_000))) {
        expect(from.getTime()).toBe(covered)
        if (span === 'day') expect(covered % DAY_MS).toBe(0)
        covered += SPANS[span]
      }
      expect(covered).toBe(period.to.getTime())
    }),
  )
})

test('a period that ends now has the present day as one piece', () => {
  const period = { from: hour(22), to: hour(75) }
  const spans = fewPiecesOf(period, new Date(hour(75).getTime() - 1)).map(({ span }) => span)
  expect(spans).toEqual(['hour', 'hour', 'day', 'day', 'day'])
})
