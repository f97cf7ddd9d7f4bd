import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService } from '../../support/service.ts'

const service = useService()
let token = ''
beforeAll(async () => {
  token = await service().logIn()
})

const as = (method: string, path: string, body?: unknown, by = token) =>
  service().call(method, path, { token: by, ...(body !== undefined && { body }) })

/** Moves records to the log, and evaluates alarms. */
async function settle(): Promise<void> {
  await service().deployment.fire('drain-outbox')
  await service().deployment.fire('raise-alarms')
}

const onCreation = (name: string) => `package mine
alarm if {
  input.message == "Create Key"
  input.details.resource_name == "${name}"
  input.success
}`

const makeRule = async (name: string, condition: string, more: object = {}) => {
  const made = await as('POST', '/v1/audit/alarm-configs', { name, severity: 'warning', condition, ...more })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}
const alarmsNamed = async (name: string, by = token) =>
  (await as('GET', `/v1/system/alarms?limit=-1&name=${encodeURIComponent(name)}`, undefined, by)).body.resources
const makeKey = (name: string, by = token) => as('POST', '/v1/vault/keys2', { name }, by)

test('a record turns an alarm on, more are counted, and after clear the next one is another alarm', async () => {
  const rule = await makeRule('first key', onCreation('first'))
  expect(rule).toMatchObject({ threshold: 1, interval: 60, enabled: true, builtin: false })
  await makeKey('first')
  await settle()
  const [alarm] = await alarmsNamed('first key')
  expect(alarm).toMatchObject({ state: 'on', count: 1, source: 'vault', severity: 'warning', rule_id: rule.id })
  expect(alarm.details).toMatchObject({ message: 'Create Key', resource_name: 'first', username: 'admin' })
  const { body: record } = await as('GET', `/v1/audit/records/${alarm.details.record as string}`)
  expect(record.createdAt).toBe(alarm.lastAt)

  await as('DELETE', `/v1/vault/keys2/first`)
  await settle()
  expect((await alarmsNamed('first key'))[0]).toMatchObject({ id: alarm.id, count: 1 })

  const seen = await as('POST', `/v1/system/alarms/${alarm.id as string}/acknowledge`)
  expect(seen.body).toMatchObject({ state: 'on', acknowledgedBy: 'admin' })
  expect((await as('POST', `/v1/system/alarms/${alarm.id as string}/acknowledge`)).status).toBe(409)
  const cleared = await as('POST', `/v1/system/alarms/${alarm.id as string}/clear`)
  expect(cleared.body).toMatchObject({ state: 'off', clearedBy: 'admin' })
  expect((await as('POST', `/v1/system/alarms/${alarm.id as string}/clear`)).status).toBe(409)

  await makeRule('again', `package mine\nalarm if input.message == "Clear Alarm"`)
  await as('POST', `/v1/system/alarms/${alarm.id as string}/clear`)
  await settle()
  const [again] = await alarmsNamed('again')
  expect(again).toMatchObject({ count: 3, details: { success: false } })
  await as('POST', `/v1/system/alarms/${again.id as string}/clear`)
  await settle()
  const both = await alarmsNamed('again')
  expect(both.map(({ state }: { state: string }) => state)).toEqual(['on', 'off'])
})

test('a threshold counts records within the interval', async () => {
  await makeRule('three refusals', 'package mine\nalarm if not input.success', { threshold: 3, interval: 60 })
  const refuse = async () => expect((await as('DELETE', '/v1/vault/keys2/none')).status).toBe(404)
  await refuse()
  await refuse()
  service().deployment.clock.advance(61_000)
  await refuse()
  await settle()
  expect(await alarmsNamed('three refusals')).toEqual([])
  await refuse()
  await refuse()
  await settle()
  expect(await alarmsNamed('three refusals')).toMatchObject([{ state: 'on', count: 3 }])
})

test('the record of an alarm does not trigger its own rule', async () => {
  const rule = await makeRule('everything', 'package mine\nalarm := true')
  await settle()
  const [{ count }] = await alarmsNamed('everything')
  await settle()
  await settle()
  expect((await alarmsNamed('everything'))[0].count).toBe(count)
  const { body } = await as('GET', '/v1/audit/records?service=alarms&message=Raise%20Alarm&limit=-1')
  expect(body.resources[0]).toMatchObject({ severity: 'warning', principal: { sub: 'keymgr' } })
  await as('DELETE', `/v1/audit/alarm-configs/${rule.id as string}`)
})

test('two evaluations at once count every record once', async () => {
  await makeRule('counted', 'package mine\nalarm if startswith(input.details.resource_name, "counted-")')
  for (let at = 0; at < 30; at++) await makeKey(`counted-${at}`)
  await service().deployment.fire('drain-outbox')
  await Promise.all([1, 2, 3].map(() => service().deployment.fire('raise-alarms')))
  expect(await alarmsNamed('counted')).toMatchObject([{ state: 'on', count: 30 }])
})

test('a rule that costs too much is switched off with a reason, and the others continue', async () => {
  const costly = await makeRule('costly', 'package mine\nalarm if count([1 | some i in numbers.range(1, 90000)]) > 0')
  await makeRule('beside it', onCreation('beside'))
  await makeKey('beside')
  await settle()
  const { body } = await as('GET', `/v1/audit/alarm-configs/${costly.id as string}`)
  expect(body).toMatchObject({ enabled: false, last_error: expect.stringContaining('costs too much') })
  expect(await alarmsNamed('beside it')).toMatchObject([{ state: 'on' }])
  const { body: records } = await as('GET', '/v1/audit/records?message=Switch%20Off%20Alarm%20Rule')
  expect(records.resources).toMatchObject([{ success: false, details: { resource_name: 'costly' } }])
  const mended = await as('PATCH', `/v1/audit/alarm-configs/${costly.id as string}`, {
    condition: 'package mine\nalarm := false',
    enabled: true,
  })
  expect(mended.body).toMatchObject({ enabled: true })
  expect(mended.body).not.toHaveProperty('last_error')
})

test('built-in rules are listed, adjusted, never deleted, and see a failed test of a connection', async () => {
  const { body } = await as('GET', '/v1/audit/alarm-configs?builtin=true&limit=-1')
  expect(body.total).toBeGreaterThanOrEqual(8)
  const rule = body.resources.find(({ name }: { name: string }) => name === 'Connection test failed')
  expect(rule).toMatchObject({ builtin: true, enabled: true, severity: 'error' })
  const at = `/v1/audit/alarm-configs/${rule.id as string}`
  expect((await as('DELETE', at)).status).toBe(409)
  const refused = await as('PATCH', at, { name: 'mine', threshold: 2 })
  expect([refused.status, refused.body.errors.map((one: any) => one.pointer)]).toEqual([422, ['#/name', '#/threshold']])
  expect((await as('PATCH', at, { severity: 'critical' })).body).toMatchObject({ severity: 'critical', enabled: true })
  const connections = '/v1/connectionmgmt/services/cloud-a/connections'
  const keys = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'x'.repeat(40) }
  expect((await as('POST', connections, { name: 'broken', ...keys })).status).toBe(201)
  expect((await as('POST', `${connections}/broken/test`)).body.connection_ok).toBe(false)
  await settle()
  expect(await alarmsNamed('Connection test failed')).toMatchObject([{ severity: 'critical', state: 'on' }])
  expect((await as('PATCH', at, { enabled: false })).body.enabled).toBe(false)
  expect((await as('GET', at)).body).toMatchObject({ enabled: false, severity: 'critical' })
})

test.each([
  ['a condition that does not parse', { condition: 'package mine\nalarm if {' }, 422, 'line 2, column'],
  ['a condition without the rule', { condition: 'package mine\nallow := true' }, 422, 'complete rule'],
  ['no threshold at all', { threshold: 0 }, 422, 'threshold'],
  ['a name that a built-in rule has', { name: 'Key expires' }, 409, 'Key expires'],
  ['a name that is taken', { name: 'first key' }, 409, 'first key'],
  ['an unknown severity', { severity: 'debug' }, 422, 'severity'],
  ['a field that rules have not', { builtin: true }, 400, 'builtin'],
])('refused: %s', async (_what, more, status, words) => {
  const body = { name: 'refused', severity: 'info', condition: 'package mine\nalarm := true', ...more }
  const answer = await as('POST', '/v1/audit/alarm-configs', body)
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(words)])
})

test('a caller without rights turns no built-in alarm on', async () => {
  const { token: by } = await service().userIn(token, 'without-groups', [])
  const domain = await as('GET', '/v1/domains?limit=1')
  const refused = await as('POST', `/v1/domains/${domain.body.resources[0].id as string}/retry-kek-rotation`, {}, by)
  expect(refused.status).toBe(403)
  await settle()
  expect(await alarmsNamed('Domain key rotation failed')).toEqual([])
})

test('alarms are for administrators, each of their own domain', async () => {
  const { token: auditor } = await service().userIn(token, 'auditor', ['Audit Admins'])
  for (const path of ['/v1/system/alarms', '/v1/audit/alarm-configs'])
    expect((await as('GET', path, undefined, auditor)).status).toBe(403)
  const { child } = await childAdmin(service())
  const body = { name: 'own', severity: 'info', condition: onCreation('of the child') }
  expect((await as('POST', '/v1/audit/alarm-configs', body, child)).status).toBe(201)
  await makeKey('of the child', child)
  await makeKey('of the child')
  await settle()
  expect(await alarmsNamed('own', child)).toMatchObject([{ count: 1 }])
  expect(await alarmsNamed('own')).toEqual([])
  const [{ id }] = await alarmsNamed('own', child)
  expect((await as('POST', `/v1/system/alarms/${id as string}/clear`)).status).toBe(404)
  expect((await as('POST', `/v1/system/alarms/${id as string}/clear`, undefined, child)).status).toBe(200)
})

test('an alarm that is off is removed after ninety days, one that is on stays', async () => {
  const before = (await as('GET', '/v1/system/alarms?state=off')).body.total as number
  expect(before).toBeGreaterThan(0)
  service().deployment.clock.advance(91 * 86_400_000)
  token = await service().logIn()
  await service().deployment.fire('sweep-due')
  expect((await as('GET', '/v1/system/alarms?state=off')).body.total).toBe(0)
  expect((await as('GET', '/v1/system/alarms?state=on')).body.total).toBeGreaterThan(0)
})
