import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { SHOP, startCrm, type CrmSimulator } from '../../../../infra/simulators/crm/simulator.ts'
import { query, session, soap, type Session } from './clients.ts'

const clock = createClock()
let simulator: CrmSimulator
let shop: Session

beforeAll(async () => {
  simulator = await startCrm({ clock })
  shop = await session(simulator)
})
afterAll(() => simulator.stop())

const component = (type: string, fields: Record<string, unknown>) =>
  `<m:metadata xsi:type="m:${type}">${Object.entries(fields)
    .map(([name, value]) => `<m:${name}>${String(value)}</m:${name}>`)
    .join('')}</m:metadata>`
const created = (...components: string[]) => soap(shop, `<m:createMetadata>${components.join('')}</m:createMetadata>`)
const WRAPPING = {
  ...{ fullName: 'made_here', caSigned: false, encryptedWithPlatformEncryption: true, keySize: 4096 },
  ...{ masterLabel: 'Made &amp; kept', privateKeyExportable: false },
}
const recordOf = async (name: string) => {
  const soql = `SELECT MasterLabel, KeySize, ExpirationDate, OptionsIsEncryptedWithPE, OptionsIsPrivateKeyExportable FROM Certificate WHERE DeveloperName = '${name}'`
  return (await query(shop, soql, {}, '/tooling')).body.records[0]
}

test('a certificate is created as asked for, and lasts two years', async () => {
  const { status, text } = await created(component('Certificate', WRAPPING))
  expect(status).toBe(200)
  expect(text).toContain('<result><fullName>made_here</fullName><success>true</success></result>')
  const record = await recordOf('made_here')
  expect(record).toMatchObject({
    ...{ MasterLabel: 'Made & kept', KeySize: 4096 },
    ...{ OptionsIsEncryptedWithPE: true, OptionsIsPrivateKeyExportable: false },
  })
  const years = (Date.parse(record.ExpirationDate) - clock.now().getTime()) / (365 * 86_400_000)
  expect(years).toBeCloseTo(2, 1)
})

test('the defaults are 2048 bits and exportable', async () => {
  await created(component('Certificate', { fullName: 'bare', masterLabel: 'Bare' }))
  expect(await recordOf('bare')).toMatchObject({
    ...{ KeySize: 2048, OptionsIsEncryptedWithPE: false, OptionsIsPrivateKeyExportable: true },
  })
})

test.each([
  ['a name that starts with a digit', { fullName: '1st' }, 'FIELD_INTEGRITY_EXCEPTION'],
  ['two underscores', { fullName: 'a__b' }, 'FIELD_INTEGRITY_EXCEPTION'],
  ['a name in use', { fullName: 'KEYMGR_wrapping' }, 'DUPLICATE_DEVELOPER_NAME'],
  ['another size', { keySize: 3072 }, 'FIELD_INTEGRITY_EXCEPTION'],
  ['a long label', { masterLabel: 'x'.repeat(65) }, 'STRING_TOO_LONG'],
  ['no label', { masterLabel: '' }, 'REQUIRED_FIELD_MISSING'],
  ['a flag that is none', { caSigned: 'perhaps' }, 'FIELD_INTEGRITY_EXCEPTION'],
])('a certificate with %s is refused, and others of the request are created', async (_what, change, code) => {
  const before = simulator.certificates(SHOP).length
  const good = component('Certificate', { ...WRAPPING, fullName: `other_${before}` })
  const { status, text } = await created(
    component('Certificate', { ...WRAPPING, fullName: `x${before}`, ...change }),
    good,
  )
  expect(status).toBe(200)
  expect(text).toContain(`<statusCode>${code}</statusCode>`)
  expect(text).toContain(`<fullName>other_${before}</fullName><success>true</success>`)
  expect(simulator.certificates(SHOP)).toHaveLength(before + 1)
})

test('a named credential with a password is created and deleted', async () => {
  const fields = {
    ...{ fullName: 'keys', label: 'Keys', endpoint: 'https://keys.example.test/', username: 'u', password: 'p' },
    ...{ principalType: 'NamedUser', protocol: 'Password' },
  }
  expect((await created(component('NamedCredential', fields))).text).toContain('<success>true</success>')
  const found = async () => (await query(shop, 'SELECT DeveloperName, Endpoint FROM NamedCredential')).body.records
  expect(await found()).toMatchObject([{ DeveloperName: 'keys', Endpoint: 'https://keys.example.test/' }])
  const removal = '<m:deleteMetadata><m:type>NamedCredential</m:type><m:fullNames>keys</m:fullNames></m:deleteMetadata>'
  expect((await soap(shop, removal)).text).toContain('<success>true</success>')
  expect(await found()).toEqual([])
  expect((await soap(shop, removal)).text).toContain('INVALID_CROSS_REFERENCE_KEY')
})

test.each<[string, () => Promise<{ status: number; text: string }>, string]>([
  ['another session', () => soap({ ...shop, token: 'none' }, '<m:createMetadata/>'), 'sf:INVALID_SESSION_ID'],
  ['another operation', () => soap(shop, '<m:paint/>'), 'soapenv:Client'],
  ['another type', () => created(component('Door', WRAPPING)), 'sf:INVALID_TYPE'],
  ['no XML', () => soap(shop, '<m:createMetadata>'), 'soapenv:Client'],
  [
    'eleven components',
    () => created(...Array<string>(11).fill(component('Certificate', WRAPPING))),
    'EXCEEDED_ID_LIMIT',
  ],
])('%s is a fault with status 500', async (_what, attempt, code) => {
  const { status, text } = await attempt()
  expect(status).toBe(500)
  expect(text).toMatch(new RegExp(`<faultcode>.*</faultcode>`))
  expect(text).toContain(code)
})

test('the user must be allowed to customize, and the certificate unused to be deleted', async () => {
  const reader = await session(simulator, 'reader@shop.example.test')
  const body = `<m:createMetadata>${component('Certificate', { ...WRAPPING, fullName: 'never' })}</m:createMetadata>`
  expect((await soap(reader, body)).text).toContain('sf:INSUFFICIENT_ACCESS')
  const removal = '<m:deleteMetadata><m:type>Certificate</m:type><m:fullNames>bare</m:fullNames></m:deleteMetadata>'
  expect((await soap(shop, removal)).text).toContain('<success>true</success>')
  expect(await recordOf('bare')).toBeUndefined()
})
