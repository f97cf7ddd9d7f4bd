import { expect, test } from 'vitest'
import {
  alarmNeeds,
  certificateNeeds,
  connectionNeeds,
  inOrder,
  keyNeeds,
  runNeeds,
} from '../../../clients/console/pages/overview/needs.ts'

const NOW = Date.parse('2026-03-01T08:00:00Z')
const inDays = (days: number): string => new Date(NOW + days * 86_400_000).toISOString()

test('a key is a need in its last 30 days, and critical in the last 7', () => {
  const items = [-1, 1, 8, 29, 31].map((days) => ({ id: `${days}`, title: `key-${days}`, time: inDays(days) }))
  expect(keyNeeds('local', { items }, NOW).map(({ id, isCritical }) => [id, isCritical])).toEqual([
    ['1', true],
    ['8', false],
    ['29', false],
  ])
})

test('a certificate without an end is no need', () => {
  const all = [
    { id: 'a', name: 'none', ends: undefined },
    { id: 'b', name: 'soon', ends: inDays(3) },
  ]
  expect(certificateNeeds('clients', all, NOW)).toMatchObject([{ id: 'b', at: expect.stringContaining('clients/b') }])
})

const run = (id: string, plan: string, status: 'failed' | 'completed') => ({
  ...{ id, name: plan, job_config_id: plan, status, errors: status === 'failed' ? ['It was refused.'] : [] },
  createdAt: inDays(-0.1),
})

test('a plan is a need while its last run failed, and critical after three failures in a row', () => {
  const runs = [
    run('1', 'mended', 'completed'),
    run('2', 'mended', 'failed'),
    run('3', 'once', 'failed'),
    run('4', 'once', 'completed'),
    ...['5', '6', '7'].map((id) => run(id, 'always', 'failed')),
  ]
  expect(runNeeds(runs).map(({ id, isCritical, detail }) => [id, isCritical, detail])).toEqual([
    ['3', false, 'It was refused.'],
    ['5', true, '3 times in a row. It was refused.'],
  ])
})

test('an acknowledged alarm needs nobody', () => {
  const alarm = { name: 'Refused calls', severity: 'warning' as const, triggeredAt: inDays(-1) }
  expect(
    alarmNeeds([
      { ...alarm, id: 'a' },
      { ...alarm, id: 'b', acknowledgedAt: inDays(0) },
    ]),
  ).toMatchObject([{ id: 'a', isCritical: false }])
})

test('critical needs come first, each part by time', () => {
  const ends = keyNeeds('local', { items: [20, 2, 10].map((d) => ({ id: `${d}`, title: '', time: inDays(d) })) }, NOW)
  const refused = connectionNeeds([{ id: 'c', name: 'shop', last_connection_at: inDays(-1) }])
  expect(inOrder([...ends, ...refused]).map(({ id }) => id)).toEqual(['c', '2', '10', '20'])
})
