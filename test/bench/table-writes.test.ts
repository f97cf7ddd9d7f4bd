import { expect, test } from 'vitest'
import { rowsWritten } from '../../bench/table-writes.ts'

const row = (pk: string) => ({ pk: { S: pk }, sk: { S: 'row' } })
const passed = (operation: string, TransactItems?: readonly object[]) => ({
  operation,
  request: TransactItems === undefined ? {} : { TransactItems },
  forwarded: true,
})
type Call = ReturnType<typeof passed>

const proxyOf = (calls: readonly Call[], counted = calls.length) => ({
  calls: () => calls,
  counts: () => ({ any: counted }),
})

test('writes are counted by the kind of their item, and checks are not counted', () => {
  const calls = [
    passed('Query'),
    passed('TransactWriteItems', [
      { Put: { Item: row('domain#cloud-a-key#7') } },
      { Put: { Item: row('domain#cloud-a-key@kms:1') } },
      { Update: { Key: row('domain#cloud-a-key@rank') } },
      { ConditionCheck: { Key: row('domain#cloud-a-kms#1') } },
    ]),
    passed('TransactWriteItems', [
      { Delete: { Key: row('domain#cloud-a-key~place:1/eu-west-1') } },
      { Put: { Item: row('domain#synchronization-job!container#1') } },
    ]),
    passed('TransactWriteItems', [{ Update: { Key: row('domain#figures%all') } }]),
  ]
  expect(rowsWritten(proxyOf(calls))).toEqual({ 'cloud-a-key': 4, 'synchronization-job': 1, figures: 1 })
})

test.each([
  ['a write outside of a transaction', proxyOf([passed('PutItem')]), 'PutItem'],
  ['more calls than the proxy remembers', proxyOf([passed('Query')], 2), 'Of 2 calls only 1 are known'],
  [
    'a row that is no row of the store',
    proxyOf([passed('TransactWriteItems', [{ Put: { Item: row('elsewhere') } }])]),
    'elsewhere',
  ],
])('%s is not passed over', (_what, proxy, says) => {
  expect(() => rowsWritten(proxy)).toThrow(says)
})
