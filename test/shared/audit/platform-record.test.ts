import { expect, test } from 'vitest'
import { leafOf, platformRecord, recordBytes, serviceInstanceOf } from '../../../shared/audit/platform-record.ts'
import { isObject } from '../../../shared/base/json.ts'
import type { AuditRecord } from '../../../shared/http/audit/model.ts'

const RECORD: AuditRecord = {
  id: '0199a1b2-0000-7000-8000-000000000001',
  uri: 'keymgr:d:audit:records:0199a1b2-0000-7000-8000-000000000001',
  account: 'keymgr:keymgr:admin:accounts:d',
  createdAt: '2026-03-04T05:06:07.089Z',
  recordedAt: '2026-03-04T05:06:07.090Z',
  severity: 'warning',
  service: 'vault',
  source: 'dsp',
  message: 'Delete Key',
  username: 'ada',
  clientIP: '192.0.2.1',
  success: false,
  errorMessage: 'The key is in use.',
  details: { action: 'delete', resource_uri: 'keymgr:d:vault:keys:x', before: { b: 1, a: [1.5, null] }, uri: '/dke/x' },
  requestId: 'trace-1',
  domain: 'd',
  principal: { sub: 'local|1', groups: ['admin'], client_id: 'c' },
}

test('a record has the fields of the platform, and the others in meta', () => {
  expect(platformRecord(RECORD)).toEqual({
    time: '2026-03-04 05:06:07.089000',
    tenantID: 'd',
    traceID: 'trace-1',
    source: 'dsp',
    resourceid: serviceInstanceOf('d'),
    actorid: 'local|1',
    action: 'Delete Key',
    status: 'failed',
    meta: {
      id: RECORD.id,
      uri: RECORD.uri,
      account: RECORD.account,
      recordedAt: '2026-03-04T05:06:07.090Z',
      severity: 'warning',
      service: 'vault',
      username: 'ada',
      clientIP: '192.0.2.1',
      errorMessage: 'The key is in use.',
      principal: { sub: 'local|1', groups: ['admin'], client_id: 'c' },
      action: 'delete',
      resource_uri: 'keymgr:d:vault:keys:x',
      before: { b: 1, a: [1.5, null] },
      details: { uri: '/dke/x' },
    },
  })
  expect(platformRecord({ ...RECORD, success: true }).status).toBe('success')
})

test('a service instance has an id of its own, always the same', () => {
  expect(serviceInstanceOf('d')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(serviceInstanceOf('d')).toBe(serviceInstanceOf('d'))
  expect(serviceInstanceOf('e')).not.toBe(serviceInstanceOf('d'))
})

// leaves of deployed logs are hashes of these bytes, so a change of the mapping would invalidate every tree
test('the bytes of a record never change', () => {
  expect(leafOf(RECORD).toString('hex')).toMatchInlineSnapshot(
    `"759b8e211b0fe3682be811d826f6e4513ec7b0239998938c6bb3cad4a6f5beab"`,
  )
  const { recordedAt: _, errorMessage: __, ...former } = RECORD
  expect(leafOf(former).toString('hex')).toMatchInlineSnapshot(
    `"ffc7563cb3927006fd25c0db0e34af344f177233c2ad3dce12eaa4d97778ecee"`,
  )
  expect(recordBytes(RECORD).toString()).toMatch(/^{"action":"Delete Key","actorid":"local\|1","meta":{"account":/)
})

/** Copies of the value, each with a different value in a single place. */
function changes(value: unknown): unknown[] {
  if (Array.isArray(value))
    return [...value.keys()].flatMap((at) => changes(value[at]).map((each) => value.with(at, each)))
  if (!isObject(value)) return [typeof value === 'string' ? `${value}x` : typeof value === 'boolean' ? !value : 7]
  return Object.entries(value).flatMap(([name, each]) => changes(each).map((other) => ({ ...value, [name]: other })))
}

test('a change of any field, or its loss, changes the leaf', () => {
  const altered = changes(RECORD) as AuditRecord[]
  const lost = Object.keys(RECORD.details).map((name) => ({
    ...RECORD,
    details: { ...RECORD.details, [name]: undefined },
  }))
  const all = [RECORD, ...altered, ...lost].map((record) => leafOf(record).toString('hex'))
  expect(all.length).toBeGreaterThan(20)
  expect(new Set(all).size).toBe(all.length)
})
