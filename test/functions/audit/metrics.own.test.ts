import { expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { parseExposition, type Family } from '../../support/exposition.ts'
import { refused, useDke } from '../dke-data/dke-data.ts'

const dke = useDke()
const METRICS = '/v1/system/metrics'
const MINUTE = 60_000

const vault = () => dke().vault
const service = () => vault().service
const read = async (): Promise<Map<string, Family>> => {
  const { status, headers, body } = await vault().admin.call('GET', METRICS)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parseExposition(body as string)
}
const valuesOf = (family: Family | undefined, labels: object, name?: string): number[] =>
  (family?.samples ?? [])
    .filter((sample) => name === undefined || sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .map(({ value }) => value)

test('requests are counted by operation and status class, a minute late at most, each once', async () => {
  await vault().admin.create({ name: 'counted', algorithm: 'aes', size: 256 })
  expect((await vault().admin.call('POST', '/v1/vault/keys2', { name: 1 })).status).toBe(400)
  const of = { function: 'vault', operation: 'Create Key' }
  expect(valuesOf((await read()).get('keymgr_requests_total'), of)).toEqual([])
  vault().advance(MINUTE)
  await vault().admin.list() // this call writes the counts
  vault().advance(MINUTE)
  await vault().admin.list()
  const families = await read()
  const requests = families.get('keymgr_requests_total')
  expect(valuesOf(requests, { ...of, status: '2xx' })).toEqual([1])
  expect(valuesOf(requests, { ...of, status: '4xx' })).toEqual([1])
  expect(valuesOf(requests, { function: 'vault', operation: 'List Keys', status: '2xx' })).toEqual([2])
  const durations = families.get('keymgr_request_duration_seconds')
  expect(valuesOf(durations, { ...of, le: '+Inf' })).toEqual([2])
  expect(valuesOf(durations, of, 'keymgr_request_duration_seconds_sum')[0]).toBeGreaterThan(0)
})

test('decisions of a data plane are counted by outcome', async () => {
  const endpoint = await dke().create()
  const { kid, value } = await dke().protect(endpoint)
  expect((await dke().decrypt(kid, value)).status).toBe(200)
  expect(await dke().decrypt(kid, value, { token: 'none of theirs' })).toEqual(refused(401))
  vault().advance(MINUTE)
  expect((await dke().decrypt(kid, value)).status).toBe(200)
  await service().deployment.logsDelivered()
  const decisions = (await read()).get('keymgr_data_plane_decisions_total')
  const of = { function: 'dke-data', operation: 'decrypt' }
  expect(valuesOf(decisions, { ...of, decision: 'success' })).toEqual([2])
  expect(valuesOf(decisions, { ...of, decision: 'UNAUTHENTICATED' })).toEqual([1])
})

test('lags and states of keys are as of now', async () => {
  await service().deployment.fire('drain-outbox')
  vault().advance(MINUTE)
  await vault().admin.create({ name: 'later', algorithm: 'aes', size: 256 })
  vault().advance(30_000)
  const families = await read()
  expect(valuesOf(families.get('keymgr_outbox_lag_seconds'), {})[0]).toBeCloseTo(30, -1)
  expect(valuesOf(families.get('keymgr_job_lag_seconds'), {})).toEqual([0])
  const { total } = await vault().admin.list('?state=Active&limit=1')
  expect(valuesOf(families.get('keymgr_keys'), { state: 'Active' })).toEqual([total])
})

test('no figure has an id or a name, and log lines carry them as embedded metrics', async () => {
  const text = JSON.stringify([...(await read())])
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|counted/)
  const lines = () =>
    service()
      .deployment.logs()
      .filter(({ text: line }) => line.includes('"_aws"'))
      .map(({ text: line }) => JSON.parse(line))
  await expect
    .poll(() => new Set(lines().map(({ message }) => message)))
    .toEqual(new Set(['request', 'double key encryption request', 'lags']))
  for (const line of lines())
    for (const { Namespace, Dimensions, Metrics } of line._aws.CloudWatchMetrics) {
      expect(Namespace).toBe('keymgr')
      for (const dimension of Dimensions.flat()) expect(line[dimension]).toMatch(/^[\w .-]{1,250}$/)
      for (const { Name } of Metrics) expect(line[Name]).toEqual(expect.any(Number))
    }
})

test('only auditors of the root domain see the figures', async () => {
  expect((await service().call('GET', METRICS)).status).toBe(401)
  const { holder: auditor } = await vault().user('auditor', ['Audit Admins'])
  expect((await auditor.call('GET', METRICS)).status).toBe(200)
  const { holder: other } = await vault().user('other', ['Key Admins', 'User Admins'])
  expect((await other.call('GET', METRICS)).status).toBe(403)
  const { child } = await childAdmin(service(), 'child')
  const refusal = await service().call('GET', METRICS, { token: child })
  expect(refusal.status).toBe(403)
  expect(refusal.body.detail).toContain('root domain')
})

test('a scrape credential reads only the metrics, until it is deleted', async () => {
  const AT = '/v1/system/scrape-credentials'
  const { token, ...made } = await vault().admin.ok('POST', AT, { name: 'prometheus' })
  expect(token).toMatch(/^keymgr-scrape\.[0-9a-f-]{36}\.[\w-]{43}$/)
  expect(await vault().admin.ok('GET', `${AT}/${made.id as string}`)).toEqual(made) // without the token
  const by = async (path: string, with_: string): Promise<number> =>
    (await service().call('GET', path, { token: with_ })).status
  expect(await by(METRICS, token as string)).toBe(200)
  for (const path of ['/v1/system/alarms', AT, '/v1/audit/records', '/v1/vault/keys2', '/v1/auth/self/user'])
    expect(await by(path, token as string), path).toBe(401)
  const last = (token as string).at(-1) === 'A' ? 'B' : 'A'
  expect(await by(METRICS, `${(token as string).slice(0, -1)}${last}`)).toBe(401)
  const twice = await vault().admin.call('POST', AT, { name: 'prometheus' })
  expect(twice.status).toBe(409)
  const { child } = await childAdmin(service(), 'child-of-scrapers')
  expect((await service().call('POST', AT, { token: child, body: { name: 'theirs' } })).status).toBe(403)
  await vault().admin.ok('DELETE', `${AT}/${made.id as string}`)
  expect(await by(METRICS, token as string)).toBe(401)
})
