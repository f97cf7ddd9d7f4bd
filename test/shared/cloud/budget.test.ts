import { expect, test } from 'vitest'
import { budgetOf } from '../../../shared/cloud/budget.ts'
import { contextOnBehalf, type OnBehalf } from '../../../shared/http/on-behalf.ts'
import { Changes } from '../../../shared/store/changes.ts'

const behalf: OnBehalf = {
  initiator: { sub: 'local|1', username: 'one', domain: { id: 'd', name: 'd' }, homeDomainId: 'd', groups: [] },
  now: new Date('2030-01-01T00:00:00Z'),
  traceId: 'trace',
  clientIp: '127.0.0.1',
  summary: 'Create Cloud-a Key',
  fingerprint: 'print',
}
const run = () => contextOnBehalf(behalf, new Changes()).context

test('one run has one budget for all its calls to the cloud, however often it opens a place', async () => {
  const context = run()
  const budget = await budgetOf(context)
  expect(budget.aborted).toBe(false)
  expect(await budgetOf({ ...context })).toBe(budget)
})

test('another run has a budget of its own', async () => {
  expect(await budgetOf(run())).not.toBe(await budgetOf(run()))
})
