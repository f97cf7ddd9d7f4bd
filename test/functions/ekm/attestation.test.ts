import { beforeAll, expect, test } from 'vitest'
import { EVIDENCE_TIME } from '../../support/attestation/certificates.ts'
import { bootEvents, evidence, lab, labTexts, type EvidenceOptions } from '../../support/attestation/evidence.ts'
import { DEBUG_POLICY, MEASUREMENT } from '../../support/attestation/snp.ts'
import { EMAIL, ENDPOINTS, useEkm } from './ekm.ts'

const ekm = useEkm()
const admin = () => ekm().vault.admin
const TRUST = '/v1/keymgr/ekm/attestation-trust'

let rootToken: string
const asRoot = (method: string, body?: object, headers?: Record<string, string>) =>
  ekm().vault.service.root.call(method, TRUST, { token: rootToken, body, ...(headers && { headers }) })

beforeAll(async () => {
  rootToken = await ekm().vault.service.root.logIn()
  expect((await asRoot('PATCH', labTexts())).status).toBe(200)
})

const nonce = Buffer.alloc(48, 7)
const at = EVIDENCE_TIME.toISOString()

const BASIC = {
  clients: [EMAIL],
  justification_required: true,
  justification_reason: ['CUSTOMER_INITIATED_ACCESS'],
  attestation_instance_names: ['vault-1'],
  attestation_project_ids: ['payments-prod'],
  attestation_zones: ['europe-west3-a'],
}
const ude = (basic: object = BASIC, more: object = {}) =>
  ekm().create({ endpoint_type: 'ekm-ude', policy: { basic }, ...more })

const ask = ({ id }: any, body: object) => admin().call('POST', `${ENDPOINTS}/${id as string}/attestation/test`, body)
const verdict = async (endpoint: any, options: Partial<EvidenceOptions> = {}, body: object = {}) => {
  const given = { evidence: evidence({ nonce, ...options }).toString('base64'), nonce: nonce.toString('base64'), at }
  const answered = await ask(endpoint, { ...given, ...body })
  expect(answered.status, JSON.stringify(answered.body)).toBe(200)
  return answered.body
}

test('a test of evidence against an endpoint shows the facts, and the decision on a call from its session', async () => {
  const endpoint = await ude(BASIC, { cvm_required_for_encrypt: true })
  expect(await verdict(endpoint)).toEqual({
    proved: {
      technology: 'AMD_SEV',
      instance_name: 'vault-1',
      instance_id: '9007199254740993123',
      project_id: 'payments-prod',
      project_number: '492817337510',
      zone: 'europe-west3-a',
      firmware_version: 2,
      secure_boot: true,
    },
    refused: [],
    policy: { allow: true, rule: 'allow' },
  })
})

test.each([
  ['attestation_zones', 'zone_accepted'],
  ['attestation_project_ids', 'project_accepted'],
  ['attestation_instance_names', 'instance_accepted'],
])('a machine outside of %s is refused by %s', async (list, rule) => {
  const endpoint = await ude({ ...BASIC, [list]: ['another'] })
  expect(await verdict(endpoint)).toMatchObject({ refused: [], policy: { allow: false, rule } })
})

test('a machine that is no confidential one is refused where an endpoint asks for one', async () => {
  const plain = { events: bootEvents(0) }
  const endpoint = await ude(BASIC, { cvm_required_for_encrypt: true })
  expect(await verdict(endpoint, plain)).toMatchObject({
    proved: { technology: 'NONE' },
    refused: [],
    policy: { allow: false, rule: 'cvm_required_for_encrypt' },
  })
  const input = { operation: 'confidentialunwrap', clients: EMAIL, justificationReason: 'CUSTOMER_INITIATED_ACCESS' }
  expect(await verdict(endpoint, plain, { input })).toMatchObject({ policy: { allow: true } })
  const decrypting = await ude(BASIC, { cvm_required_for_decrypt: true })
  expect(await verdict(decrypting, plain, { input })).toMatchObject({ policy: { rule: 'cvm_required_for_decrypt' } })
})

test('a plain call has no facts: settings for confidential machines refuse it, and lists do not apply', async () => {
  const plain = (operation: string) => ({
    input: { operation, clients: EMAIL, justificationReason: 'CUSTOMER_INITIATED_ACCESS' },
  })
  const [open, reserved] = [
    await ude({ ...BASIC, attestation_zones: ['another'] }),
    await ude(BASIC, { cvm_required_for_encrypt: true, cvm_required_for_decrypt: true }),
  ]
  expect(await verdict(open, {}, plain('wrap'))).toMatchObject({ policy: { allow: true } })
  for (const [operation, rule] of [
    ['wrap', 'cvm_required_for_encrypt'],
    ['unwrap', 'cvm_required_for_decrypt'],
  ] as const)
    expect(await verdict(reserved, {}, plain(operation))).toMatchObject({ refused: [], policy: { allow: false, rule } })
  const rego = 'package p\n\ndefault allow := false\n\nallow if not input.attestation\n'
  const raw = await ekm().create({ endpoint_type: 'ekm-ude', raw_policy_enabled: true, policy: { rego } })
  expect(await verdict(raw, {}, plain('wrap'))).toMatchObject({ policy: { allow: true } })
  expect(await verdict(raw)).toMatchObject({ policy: { allow: false } })
})

test('the other rules of a policy decide on the call that the body states', async () => {
  const input = { operation: 'confidentialwrap', clients: 'other@shop.test' }
  expect(await verdict(await ude(), {}, { input })).toMatchObject({ policy: { allow: false, rule: 'client_listed' } })
})

test('a raw policy decides on the facts', async () => {
  const rego = 'package p\n\ndefault allow := false\n\nallow if input.attestation.technology == "AMD_SEV_SNP"\n'
  const endpoint = await ekm().create({ endpoint_type: 'ekm-ude', raw_policy_enabled: true, policy: { rego } })
  expect(await verdict(endpoint)).toMatchObject({ policy: { allow: false } })
  expect(await verdict(endpoint, { events: bootEvents(4), report: {} })).toMatchObject({
    proved: { technology: 'AMD_SEV_SNP', snp_measurement: MEASUREMENT.toString('hex') },
    policy: { allow: true, rule: 'allow' },
  })
})

test.each([
  ['of another session', { nonce: Buffer.alloc(48, 8) }, 'nonce'],
  ['whose log is of another start', { events: bootEvents(), log: evidence({ nonce }) }, 'log'],
  ['of a machine that may be debugged', { events: bootEvents(4), report: { policy: DEBUG_POLICY } }, 'snp'],
  ['without a certificate', { certificate: undefined }, 'key'],
] satisfies [string, Partial<EvidenceOptions>, string][])('evidence %s is refused', async (_what, options, step) => {
  const { refused, policy } = await verdict(await ude(), options)
  expect(refused[0]).toEqual({ step, reason: expect.any(String) })
  expect(policy).toEqual({ allow: false, rule: 'attestation' })
})

test('bytes that are no message are refused at the first step', async () => {
  const { body } = await ask(await ude(), { evidence: Buffer.from('garbage').toString('base64') })
  expect(body).toMatchObject({ proved: {}, refused: [{ step: 'message' }], policy: { allow: false } })
})

test('certificates must be valid at the given time, and without a given nonce none is compared', async () => {
  const endpoint = await ude()
  const given = evidence({ nonce: Buffer.from('another') }).toString('base64')
  expect((await ask(endpoint, { evidence: given, at })).body).toMatchObject({ refused: [] })
  expect((await ask(endpoint, { evidence: given, at: '2056-01-01T00:00:00Z' })).body).toMatchObject({
    refused: [{ step: 'key' }],
  })
})

test('an endpoint without sessions, a text that is no base64 and an unknown endpoint are refused', async () => {
  const given = { evidence: 'AAAA' }
  expect(await ask(await ekm().create(), given)).toMatchObject({ status: 409 })
  const endpoint = await ude()
  expect(await ask(endpoint, { evidence: '!' })).toMatchObject({ status: 422 })
  expect(await ask(endpoint, { ...given, nonsense: 1 })).toMatchObject({ status: 400 })
  expect(await ask({ id: '00000000-0000-4000-8000-000000000000' }, given)).toMatchObject({ status: 404 })
})

test('the authorities of evidence are shown with their fingerprints', async () => {
  const { status, body } = await asRoot('GET')
  expect(status).toBe(200)
  expect(body).toMatchObject(labTexts())
  expect(body.authorities).toContainEqual({
    field: 'machine_roots',
    subject: 'CN=Attestation Root',
    notAfter: lab().root.certificate.validToDate.toISOString(),
    sha256Fingerprint: lab().root.certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  })
  expect(body.authorities).toHaveLength(5)
})

test('a cleared field takes effect at once, and without its roots no evidence is accepted', async () => {
  const endpoint = await ude()
  expect((await asRoot('PATCH', { machine_roots: null })).body).not.toHaveProperty('machine_roots')
  expect(await verdict(endpoint)).toMatchObject({ refused: [{ step: 'key' }] })
  expect((await asRoot('PATCH', labTexts())).status).toBe(200)
  expect(await verdict(endpoint)).toMatchObject({ refused: [] })
})

test('authorities must be certificates of authorities, and roots sign themselves', async () => {
  const intermediate = lab().machines.certificate.toString()
  for (const [body, status] of [
    [{ machine_roots: 'no certificate' }, 422],
    [{ machine_roots: `${labTexts().machine_roots}trailing` }, 422],
    [{ machine_roots: intermediate }, 422],
    [{ processor_roots: '' }, 422],
    [{ unknown: intermediate }, 400],
  ] as const)
    expect((await asRoot('PATCH', body)).status, JSON.stringify(body).slice(0, 60)).toBe(status)
  expect((await asRoot('PATCH', labTexts(), { 'if-match': '"0"' })).status).toBe(412)
})

test('other domains neither see nor change the authorities', async () => {
  expect(await admin().call('GET', TRUST)).toMatchObject({ status: 403 })
  expect(await admin().call('PATCH', TRUST, labTexts())).toMatchObject({ status: 403 })
})
