import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { bootEvents, evidence, IDENTITY, labTexts, type EvidenceOptions } from '../../support/attestation/evidence.ts'
import { AttestedClient } from '../../support/attested-client.ts'
import { EMAIL, ENDPOINTS, HOST, refused, useEkm } from '../ekm/ekm.ts'

const ekm = useEkm()

const INVALID = refused(400, 'INVALID_ARGUMENT')
const UNKNOWN = refused(404, 'NOT_FOUND')
const DENIED = refused(403, 'PERMISSION_DENIED')

let certificate: string
beforeAll(async () => {
  const { root } = ekm().vault.service
  const token = await root.logIn()
  const trusted = await root.call('PATCH', '/v1/keymgr/ekm/attestation-trust', { token, body: labTexts() })
  expect(trusted.status).toBe(200)
  const endpoint = await ude()
  const shown = await ekm().vault.admin.ok('GET', `${ENDPOINTS}/${endpoint.id as string}/session-certificate`)
  certificate = shown.certificate
  ekm().letPass()
})

const ude = (basic: object = {}, more: object = {}): Promise<any> =>
  ekm().create({ endpoint_type: 'ekm-ude', policy: { basic: { clients: [EMAIL], ...basic } }, ...more })
const client = (claims?: object): AttestedClient => new AttestedClient(ekm(), HOST, certificate, claims)
/** A session of a machine. */
const machine = (options: Partial<EvidenceOptions> = {}, claims?: object): Promise<AttestedClient> =>
  client(claims).session((nonce) => evidence({ nonce, ...options }))
const plainMachine = (): Promise<AttestedClient> => machine({ events: bootEvents(0) })

/** A session that waits for a machine's evidence. */
async function asked(claims?: object): Promise<AttestedClient> {
  const stet = client(claims)
  await stet.begin()
  await stet.handshake()
  await stet.agreed(await stet.negotiate([1, 2, 3], [1]))
  return stet
}
const wrap = (stet: AttestedClient, endpoint: any) => stet.confidential(endpoint, 'confidentialwrap', randomBytes(16))

test('a confidential machine uses keys that are reserved for it; other machines and plain calls are refused', async () => {
  const reserved = await ude({}, { cvm_required_for_encrypt: true, cvm_required_for_decrypt: true })
  const confidential = await machine()
  const secret = randomBytes(32)
  const blob = await confidential.wrap(reserved, secret)
  expect(await confidential.unwrap(reserved, blob)).toEqual(secret)
  for (const other of [await plainMachine(), await client().session()]) {
    expect(await wrap(other, reserved)).toEqual(DENIED)
    expect(await other.confidential(reserved, 'confidentialunwrap', blob)).toEqual(DENIED)
    expect((await wrap(other, await ude())).status, 'the session is still usable').toBe(200)
  }
  const plain = await ekm().call(reserved, 'wrap', { plaintext: 'AAAA' })
  expect(plain).toEqual(DENIED)
  expect(plain.text).toBe((await wrap(await plainMachine(), reserved)).text)
})

test('encrypting and decrypting are reserved one by one', async () => {
  const [egress, ingress] = [
    await ude({}, { cvm_required_for_encrypt: true }),
    await ude({}, { cvm_required_for_decrypt: true }),
  ]
  const [confidential, other] = [await machine(), await client().session()]
  const blob = await confidential.wrap(egress, randomBytes(8))
  expect((await other.confidential(egress, 'confidentialunwrap', blob)).status).toBe(200)
  expect(await wrap(other, egress)).toEqual(DENIED)
  const open = await other.confidential(ingress, 'confidentialwrap', randomBytes(8))
  expect(open.status).toBe(200)
  const sealed = await confidential.wrap(ingress, randomBytes(8))
  expect(await other.confidential(ingress, 'confidentialunwrap', sealed)).toEqual(DENIED)
  expect(await confidential.unwrap(ingress, sealed)).toHaveLength(8)
})

test.each([
  [
    'instance names',
    { attestation_instance_names: ['other', IDENTITY.instanceName] },
    { attestation_instance_names: ['other'] },
    'instance_accepted',
  ],
  [
    'project ids',
    { attestation_project_ids: [IDENTITY.projectId] },
    { attestation_project_ids: ['a project that the client claims'] },
    'project_accepted',
  ],
  ['zones', { attestation_zones: [IDENTITY.zone] }, { attestation_zones: ['europe-west3-b'] }, 'zone_accepted'],
])('lists of %s decide by the proved facts; the record names the missing fact', async (_what, has, lacks, rule) => {
  const [open, closed] = [await ude(has), await ude(lacks)]
  const [proved, unproved] = [await machine(), await client().session()]
  expect((await wrap(proved, open)).status).toBe(200)
  expect(await wrap(proved, closed)).toEqual(DENIED)
  expect(await wrap(unproved, open), 'without evidence').toEqual(DENIED)
  const [refusal] = await ekm().lines(1, { endpoint: closed.id, status: 403 })
  const { instanceName: instance, projectId: project, zone } = IDENTITY
  expect(refusal).toMatchObject({ rule, technology: 'AMD_SEV', instance, project, zone })
  expect((await ekm().call(closed, 'wrap', { plaintext: 'AAAA' })).status, 'plain calls are not held to it').toBe(200)
})

test('a raw policy sees the proved facts, and none if nothing was proved', async () => {
  const rego = `package p

default allow := false

allow if {
	input.operation == "confidentialwrap"
	input.justificationReason == "CUSTOMER_INITIATED_ACCESS"
	input.attestation == {
		"instance_name": "${IDENTITY.instanceName}",
		"project_id": "${IDENTITY.projectId}",
		"zone": "${IDENTITY.zone}",
		"technology": "AMD_SEV",
	}
}

allow if {
	input.operation == "confidentialunwrap"
	not input.attestation
}
`
  const endpoint = await ekm().create({ endpoint_type: 'ekm-ude', raw_policy_enabled: true, policy: { rego } })
  const [proved, unproved] = [await machine(), await client().session()]
  const blob = await proved.wrap(endpoint, randomBytes(8))
  expect(await unproved.unwrap(endpoint, blob)).toHaveLength(8)
  expect(await proved.confidential(endpoint, 'confidentialunwrap', blob)).toEqual(DENIED)
  expect(await wrap(unproved, endpoint)).toEqual(DENIED)
})

test('a session with a disabled endpoint is refused and stays usable; an unlisted caller is refused', async () => {
  const [endpoint, other] = [await ude(), await ude()]
  await ekm().act(endpoint.id as string, 'disable')
  ekm().letPass()
  const stet = await client().session()
  expect(await wrap(stet, endpoint)).toEqual(DENIED)
  expect((await wrap(stet, other)).status).toBe(200)
  expect((await stet.end()).status).toBe(200)
  const stranger = await client({ email: 'stranger@project.iam.gserviceaccount.com' }).session()
  expect(await wrap(stranger, other)).toEqual(DENIED)
})

test('an endpoint without sessions leaves the session usable, and shows its type only to callers of its policy', async () => {
  const [plain, other] = [await ekm().create({ policy: { basic: { clients: [EMAIL] } } }), await ude()]
  const stet = await client().session()
  expect(await wrap(stet, plain)).toEqual(refused(400, 'FAILED_PRECONDITION'))
  expect((await wrap(stet, other)).status).toBe(200)
  expect((await stet.end()).status).toBe(200)
  const stranger = await client({ email: 'stranger@project.iam.gserviceaccount.com' }).session()
  expect(await wrap(stranger, plain)).toEqual(DENIED)
})

test('evidence of 30 KB is read whole from 25 records and more', async () => {
  const stet = await asked()
  const attestation = evidence({
    nonce: stet.nonce,
    more: Buffer.concat([Buffer.from('fa0fb0ea01', 'hex'), Buffer.alloc(30_000)]),
  })
  expect(attestation.length).toBeGreaterThan(30_000)
  expect((await stet.finalize(attestation, undefined, 1_200)).status).toBe(200)
})

test('evidence with the nonce of another session is refused, and ends the session', async () => {
  const [one, other] = [await asked(), await asked()]
  const attestation = evidence({ nonce: one.nonce })
  expect(await other.finalize(attestation)).toEqual(DENIED)
  expect(await other.finalize(attestation)).toEqual(UNKNOWN)
  expect((await one.finalize(attestation)).status).toBe(200)
  const [refusal] = await ekm().lines({ atLeast: 1 }, { operation: 'finalize', status: 403 })
  expect(refusal.evidence).toMatch(/^nonce: /)
})

test.each<[string, Parameters<AttestedClient['finalize']>, object]>([
  ['no records', [], INVALID],
  ['an empty message', [undefined, Buffer.from('0a00', 'hex')], INVALID],
  ['a message without an attestation', [undefined, Buffer.from('1000', 'hex')], INVALID],
  ['no message', [undefined, Buffer.from('ffff', 'hex')], INVALID],
  ['garbage for an attestation', [Buffer.from('ffff', 'hex')], INVALID],
])('instead of evidence that was agreed on, %s is refused', async (_what, given, refusal) => {
  const stet = await asked()
  expect(await stet.finalize(...given)).toEqual(refusal)
  expect(await stet.finalize(evidence({ nonce: Buffer.alloc(48) }))).toEqual(UNKNOWN)
})

test('a token that names a machine must name the one that the evidence proves', async () => {
  const engine = (more: object = {}) => ({
    google: {
      compute_engine: {
        project_id: IDENTITY.projectId,
        zone: IDENTITY.zone,
        instance_name: IDENTITY.instanceName,
        instance_id: String(IDENTITY.instanceId),
        project_number: 1,
        ...more,
      },
    },
  })
  expect((await wrap(await machine({}, engine()), await ude())).status).toBe(200)
  for (const more of [{ project_id: 'other' }, { zone: 'other' }, { instance_name: 'other' }, { instance_id: '1' }]) {
    const stet = await asked(engine(more))
    expect(await stet.finalize(evidence({ nonce: stet.nonce })), JSON.stringify(more)).toEqual(DENIED)
  }
})
