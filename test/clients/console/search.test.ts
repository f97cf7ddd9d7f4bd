import { expect, test } from 'vitest'
import { beginning, containing, isId, ranked } from '../../../clients/console/search/rank.ts'

test('a name is searched in the usual cases, and its wildcards are ordinary', () => {
  expect(containing('ord')).toEqual(['*ord*', '*Ord*', '*ORD*'])
  expect(containing('o*')).toEqual(['*o*', '*O*'])
  expect(beginning('ORD')).toEqual(['ORD*', 'ord*', 'Ord*'])
})

test.each([
  ['0190a3f2-7c1e-7d51-9b7a-2f1d4f0f0a11', true],
  ['a'.repeat(64), true],
  ['arn:aws:kms:eu-west-1:111122223333:key/1', true],
  ['keymgr:root:vault:keys:1', true],
  ['orders', false],
  ['cafe', false],
])('%s is an id: %s', (text, expected) => {
  expect(isId(text)).toBe(expected)
})

test('an equal name comes first, then one that begins with the text, then a word of it', () => {
  const hits = ['reorder', 'my-orders', 'orders-eu', 'Orders'].map((title) => ({ title, href: title, detail: '' }))
  expect(ranked('orders', hits).map(({ title }) => title)).toEqual(['Orders', 'orders-eu', 'my-orders', 'reorder'])
})
