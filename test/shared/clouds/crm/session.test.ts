import { expect, test } from 'vitest'
import { SHOP } from '../../../../infra/simulators/crm/simulator.ts'
import { crm, crmCertificates } from '../../../../shared/clouds/crm/adapter/verbs.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { useCrmCloud } from './simulated.ts'

const own = useCrmCloud()
const logIns = (): number => own.cloud.calls().filter(({ operation }) => operation === 'Login').length
/** The ids of all secrets. */
async function refsOf(): Promise<string[]> {
  const all: string[] = []
  let cursor: string | undefined
  do {
    const page = await crm.refs(own.place(), cursor)
    all.push(...page.refs)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}
const calls = () => own.cloud.calls().filter(({ operation }) => operation !== 'Login')

test('a log-in with the key of a certificate is used by all callers until the cloud ends it', async () => {
  const place = own.place({ connection: own.byCertificate() })
  const before = logIns()
  await Promise.all([1, 2, 3].map(() => crm.refs(place, undefined)))
  expect(logIns()).toBe(before + 1) // the cloud accepts RS256 and three minutes at most
  own.cloud.endSessions(SHOP)
  await crm.refs(place, undefined)
  expect(logIns()).toBe(before + 2)
})

test('calls after a log-in go to the address of the organization', async () => {
  await crm.refs(own.place(), undefined)
  const { instance_url } = await crm.organization(own.place())
  expect(instance_url).toBe(own.cloud.instanceOf(SHOP))
  expect(instance_url).not.toBe(own.cloud.endpoint)
  expect(calls().every(({ organizationId }) => organizationId === SHOP)).toBe(true)
})

test('an organization at its limit of requests is tried three times, and then refused', async () => {
  await crm.refs(own.place(), undefined)
  const before = calls().length
  own.cloud.setDailyLimit(0)
  try {
    expect((await refusalOf(crm.refs(own.place(), undefined))).reason).toBe('CLOUD_THROTTLED')
  } finally {
    own.cloud.setDailyLimit(100_000)
  }
  expect(calls().length - before).toBe(3)
})

test('all of 2,500 secrets are listed once, over several pages, in any case of their words', async () => {
  const made = own.cloud.seed(SHOP, 2_500)
  own.cloud.seed(SHOP, 1, () => ({ type: 'Database', status: 'ACTIVE' }))
  await crm.refs(own.place(), undefined) // logs in
  const before = calls().length
  const all = await refsOf()
  expect(calls().length - before).toBeGreaterThan(1)
  expect(new Set(all).size).toBe(all.length)
  expect(all).toEqual(expect.arrayContaining([...made]))
  const survey = await crm.survey(own.place())
  expect((await survey.read(made[0] ?? ''))?.param).toMatchObject({ status: 'ARCHIVED', source: 'HSM' })
})

test('a refused log-in states the possible reasons, and no secrets', async () => {
  const { credential: _, ...rest } = own.connection()
  const [{ clientSecret: client_secret }] = own.cloud.credentials
  const wrong = { ...rest, credential: { client_secret, password: 'not the password' } }
  const { message } = await refusalOf(crm.test(wrong, AbortSignal.timeout(20_000)))
  expect(message).toContain('a certificate is recommended')
  expect(message).not.toContain('not the password')
})

test('a secret or certificate of an unexpected form cannot be read alone, and does not affect the list', async () => {
  const [odd = '', other = ''] = own.cloud.seed(SHOP, 2)
  const long = (body: any): unknown => {
    for (const record of body.records) if (record.Id === odd) record.Description = 'x'.repeat(5_000)
    return body
  }
  const small = (body: any): unknown => {
    body.records[0].KeySize = 4_096.5
    return body
  }
  const forget = [
    own.cloud.inject({ fault: 'wrong-answer', operation: 'Query', answer: long }),
    own.cloud.inject({ fault: 'wrong-answer', operation: 'QueryMore', answer: long }),
    own.cloud.inject({ fault: 'wrong-answer', operation: 'ToolingQuery', answer: small }),
  ]
  try {
    expect(await refsOf()).toEqual(expect.arrayContaining([odd, other]))
    const survey = await crm.survey(own.place())
    expect((await survey.read(other))?.ref).toBe(other)
    expect((await refusalOf(survey.read(odd))).reason).toBe('CLOUD_UNREADABLE')
    const [first, ...others] = (await crmCertificates.refs(own.place(), undefined)).refs
    const certificates = await crmCertificates.survey(own.place())
    const reads = await Promise.allSettled([...others, first ?? ''].map((ref) => certificates.read(ref)))
    expect(reads.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  } finally {
    for (const each of forget) each()
  }
})
