import fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { numberedUuid } from '../../../shared/base/ids.ts'

const AT = new Date('2026-05-06T07:08:09.123Z')
const place = fc.record({ list: fc.nat({ max: 4_095 }), n: fc.nat({ max: 2 ** 30 - 1 }) })

test('ids of numbered things are UUIDs of version 7, the same for the same numbers, and in their order', () => {
  fc.assert(
    fc.property(place, place, (a, b) => {
      const [idA, idB] = [a, b].map(({ list, n }) => numberedUuid(AT, 'seed', list, n))
      expect(idA).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(idA?.slice(0, 13).replace('-', '')).toBe(AT.getTime().toString(16).padStart(12, '0'))
      const order = a.list - b.list || a.n - b.n
      expect(Math.sign(order)).toBe(Math.sign(Number(String(idA) > String(idB)) - Number(String(idA) < String(idB))))
    }),
  )
})

test('ids of other subjects differ', () => {
  expect(numberedUuid(AT, 'one', 0, 0)).not.toBe(numberedUuid(AT, 'other', 0, 0))
})
