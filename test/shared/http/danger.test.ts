import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isDangerous } from '../../../clients/console/calls.ts'
import type { Method } from '../../../clients/sdk/method.ts'
import { ROUTES } from '../../../infra/routes.ts'
import { dangerOf, labelOf } from '../../../shared/http/danger.ts'
import { isWrite } from '../../../shared/http/operation.ts'

const bySummary = (summary: string) => {
  const route = ROUTES.find(({ operation }) => operation.declaration.summary === summary)
  if (route === undefined) throw new Error(`No operation is called ${summary}`)
  return dangerOf(route)
}

test.each([
  ['Create Key', 0],
  ['Enable Cloud-a Key', 0],
  ['Query Keys', 0],
  ['Update Key', 1],
  ['Rotate Key', 1],
  ['Create Cloud-c Key Version', 1],
  ['Cancel Cloud-a Key Deletion', 1],
  ['Cancel Job', 2],
  ['Disable Cloud-a Key', 2],
  ['Revoke Key', 2],
  ['Remove User From Group', 2],
  ['Delete User', 3],
  ['Destroy Key', 3],
  ['Purge Cloud-b Key', 3],
  ['Schedule Cloud-c Key Version Destruction', 3],
])('%s has the danger %i', (summary, level) => {
  expect(bySummary(summary).level).toBe(level)
})

test.each([
  ['Delete User', 'The user cannot be brought back.'],
  ['Destroy Key', 'The material of the key is wiped: what it encrypted can no longer be read.'],
  ['Delete Cloud-a KMS', 'The records of the KMS and its keys are removed; the cloud keeps the keys.'],
  [
    'Schedule Cloud-a Key Deletion',
    'After the wait the cloud-a key cannot be brought back; until then this can be cancelled.',
  ],
])('%s states what cannot be undone', (summary, lost) => {
  expect(bySummary(summary).lost).toBe(lost)
})

test('a DELETE is dangerous, and a read is not', () => {
  const levels = ROUTES.map((route) => ({ route, ...dangerOf(route) }))
  for (const { route, level, lost } of levels) {
    const { summary } = route.operation.declaration
    if (route.method === 'DELETE') expect(level, summary).toBeGreaterThan(0)
    if (!isWrite(route)) expect(level, summary).toBe(0)
    expect(lost !== undefined, summary).toBe(level === 3)
  }
})

test('a label is the summary in the words of a sentence', () => {
  expect(labelOf('Delete Cloud-a Key Alias')).toBe('Delete cloud-a key alias')
  expect(labelOf('Get Cloud-a IAM Users')).toBe('Get cloud-a IAM users')
  expect(labelOf('Make CSR of Key')).toBe('Make CSR of key')
})

test('the console marks the same calls as dangerous as the description', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../../clients/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, { 'x-keymgr-danger'?: number }>>
  }
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      call: { method: method as Method, path },
      stops: (operation['x-keymgr-danger'] ?? 0) >= 2,
    })),
  )
  expect(described.filter(({ stops }) => stops).length).toBeGreaterThan(100)
  expect(described.filter(({ call, stops }) => isDangerous(call) !== stops)).toEqual([])
})
