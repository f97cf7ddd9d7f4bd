import fs from 'node:fs'
import Ajv from 'ajv'
import { beforeAll, expect, test } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
let token = ''
beforeAll(async () => {
  token = await service().logIn()
})

const schema = (name: string): object =>
  JSON.parse(
    fs.readFileSync(new URL(`../../vectors/cyclonedx-1.6/${name}.schema.json`, import.meta.url), 'utf8'),
  ) as object

/** The errors that the official schema finds. */
function faultsOf(bom: unknown): unknown {
  // The library lacks the format idn-email, which only names of persons use.
  const ajv = new Ajv({
    allErrors: true,
    extendRefs: true,
    format: 'full',
    unknownFormats: ['idn-email', 'iri-reference'],
  })
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  const validate = ajv.compile(schema('bom-1.6'))
  return validate(bom) ? [] : validate.errors
}

const make = async (body: object): Promise<void> => {
  const { status, body: answer } = await service().call('POST', '/v1/vault/keys2', { token, body })
  expect(status, JSON.stringify(answer)).toBe(201)
}
const bomOf = async (by: string): Promise<any> => {
  const { status, body } = await service().call('GET', '/v1/audit/cbom', { token: by })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const propertiesOf = (bom: any, name: string): Record<string, string> =>
  Object.fromEntries(
    bom.components.find((one: any) => one.name === name).properties.map((one: any) => [one.name, one.value]),
  )

test('the bill of materials counts keys by kind and is valid by the official schema', async () => {
  const end = '2031-01-01T00:00:00.000Z'
  await make({ name: 'one' })
  await make({ name: 'two', size: 128, deactivationDate: end })
  await make({ name: 'three', size: 128 })
  await make({ name: 'pair', algorithm: 'rsa', size: 2048 })
  await make({ name: 'curve', algorithm: 'ec', curveid: 'secp384r1' })
  await make({ name: 'mac', algorithm: 'hmac-sha256' })
  await make({ name: 'bytes', algorithm: 'opaque', material: '00ff' })
  const rotated = await service().call('POST', '/v1/vault/keys2/one/versions', { token, body: {} })
  expect(rotated.status).toBe(201)
  const bom = await bomOf(token)
  expect(faultsOf(bom)).toEqual([])
  expect(faultsOf({ ...bom, components: [{ type: 'cryptographic-asset' }] })).not.toEqual([])
  expect(propertiesOf(bom, 'aes-256')).toMatchObject({
    'keymgr:pqc': 'ready',
    'keymgr:keys:vault': '2',
    'keymgr:keys:vault:state:Active': '2',
  })
  expect(propertiesOf(bom, 'aes-256')['keymgr:used-for']).toContain('AES-256-GCM')
  expect(propertiesOf(bom, 'aes-128')).toMatchObject({
    'keymgr:keys:vault': '2',
    'keymgr:keys:vault:until': end,
    'keymgr:keys:vault:without-end': '1',
  })
  expect(propertiesOf(bom, 'rsa-2048')).toMatchObject({ 'keymgr:pqc': 'vulnerable', 'keymgr:keys:vault': '2' })
  expect(bom.components.find((one: any) => one.name === 'ec-secp384r1').cryptoProperties).toMatchObject({
    oid: '1.3.132.0.34',
    algorithmProperties: { classicalSecurityLevel: 192, nistQuantumSecurityLevel: 0, curve: 'secp384r1' },
  })
  expect(propertiesOf(bom, 'hmac-sha256-256')).toMatchObject({ 'keymgr:pqc': 'ready' })
  const names = bom.components.map((one: any) => one.name)
  expect(names).toEqual(expect.arrayContaining(['TLS', 'JOSE', 'X.509']))
  expect(new Set(bom.components.map((one: any) => one['bom-ref'])).size).toBe(names.length)
  const refs = new Set([...bom.components.map((one: any) => one['bom-ref']), 'keymgr'])
  for (const { ref, dependsOn } of bom.dependencies)
    for (const one of [ref, ...dependsOn]) expect(refs, one).toContain(one)
})

test('the certificates of authorities are in it', async () => {
  const { body: cas } = await service().call('GET', '/v1/ca/local-cas', { token })
  const bom = await bomOf(token)
  const certificates = bom.components.filter((one: any) => one.cryptoProperties.assetType === 'certificate')
  expect(certificates.map((one: any) => one.name).sort()).toEqual(cas.resources.map((one: any) => one.name).sort())
})

test('the bill of materials is for auditors', async () => {
  const { token: user } = await service().userIn(token, 'user', ['Key Users', 'Key Admins'])
  const { token: auditor } = await service().userIn(token, 'auditor', ['Audit Admins'])
  expect((await service().call('GET', '/v1/audit/cbom', { token: user })).status).toBe(403)
  expect((await service().call('GET', '/v1/audit/cbom')).status).toBe(401)
  expect((await service().call('GET', '/v1/audit/cbom?all=1', { token: auditor })).status).toBe(400)
  expect((await bomOf(auditor)).bomFormat).toBe('CycloneDX')
})
