import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { JUSTIFICATION_REASONS } from '../../../shared/endpoints/ekm/justification-reasons.ts'
import { EMAIL, ENDPOINTS, refused, useEkm } from '../ekm/ekm.ts'

const ekm = useEkm()

const DENIED = refused(403, 'PERMISSION_DENIED')
const PLAIN = { plaintext: 'AAAA' }
const wrap = (at: any, context?: unknown, claims: object = {}) =>
  ekm().call(at, 'wrap', { ...PLAIN, additionalContext: context }, { claims })
const because = (reason: unknown) => ({ accessReasonContext: { reason } })

const basic = (policy: object, more: object = {}) =>
  ekm().create({ policy: { basic: { clients: [EMAIL], ...policy } }, ...more })
const raw = (rego: string, more: object = {}) => ekm().create({ raw_policy_enabled: true, policy: { rego }, ...more })

test('only listed callers are allowed, in upper or lower case; every refusal reads the same', async () => {
  const endpoint = await basic({ clients: ['One@Shop.test', 'two"\\@shop.test'] })
  for (const email of ['one@shop.test', 'ONE@SHOP.TEST', 'two"\\@shop.test'])
    expect((await wrap(endpoint, undefined, { email })).status, email).toBe(200)
  const answers = []
  for (const email of [EMAIL, 'one@shop.test.else', 'xone@shop.test', '*'])
    answers.push(await wrap(endpoint, undefined, { email }))
  for (const answered of answers) expect(answered).toEqual(DENIED)
  const disabled = await basic({})
  await ekm().act(disabled.id as string, 'disable')
  answers.push(await wrap(disabled))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
})

test.each<[string, object, unknown, boolean]>([
  [
    'required, unavailable',
    { justification_required: true, justification_reason: ['GOOGLE_INITIATED_REVIEW'] },
    undefined,
    false,
  ],
  [
    'required, a context without it',
    { justification_required: true, justification_reason: ['REASON_UNSPECIFIED'] },
    {},
    false,
  ],
  [
    'required, an empty one, listed',
    { justification_required: true, justification_reason: ['REASON_UNSPECIFIED'] },
    { accessReasonContext: {} },
    true,
  ],
  [
    'required, an empty one, not listed',
    { justification_required: true, justification_reason: ['GOOGLE_INITIATED_REVIEW'] },
    { accessReasonContext: {} },
    false,
  ],
  [
    'required, named and listed',
    { justification_required: true, justification_reason: ['GOOGLE_INITIATED_REVIEW'] },
    because('GOOGLE_INITIATED_REVIEW'),
    true,
  ],
  [
    'required, by number',
    { justification_required: true, justification_reason: ['GOOGLE_INITIATED_REVIEW'] },
    because(4),
    true,
  ],
  [
    'required, another',
    { justification_required: true, justification_reason: ['GOOGLE_INITIATED_REVIEW'] },
    because(5),
    false,
  ],
  [
    'required, a number nobody published',
    { justification_required: true, justification_reason: [...JUSTIFICATION_REASONS] },
    because(9),
    false,
  ],
  [
    'required, in another case',
    { justification_required: true, justification_reason: ['GOOGLE_INITIATED_REVIEW'] },
    because('google_initiated_review'),
    false,
  ],
  ['listed, unavailable', { justification_reason: ['GOOGLE_INITIATED_REVIEW'] }, undefined, true],
  ['listed, another', { justification_reason: ['GOOGLE_INITIATED_REVIEW'] }, because('REASON_NOT_EXPECTED'), false],
  ['listed, unspecified', { justification_reason: ['GOOGLE_INITIATED_REVIEW'] }, because(0), false],
  ['unasked', {}, because('WHATEVER'), true],
])('a reason that is %s', async (_what, policy, context, isAllowed) => {
  const endpoint = await basic(policy)
  const answered = await wrap(endpoint, context)
  if (isAllowed) expect(answered.status, answered.text).toBe(200)
  else expect(answered).toEqual(DENIED)
})

test('operations reserved for confidential machines are refused to other callers, all others are allowed', async () => {
  const egress = await basic({}, { endpoint_type: 'ekm-ude', cvm_required_for_encrypt: true })
  const ingress = await basic({}, { endpoint_type: 'ekm-ude', cvm_required_for_decrypt: true })
  const plain = await basic({}, { cvm_required_for_encrypt: true, cvm_required_for_decrypt: true })
  expect(await wrap(egress)).toEqual(DENIED)
  expect(await wrap(egress, { isKeyHealthCheck: true })).toEqual(DENIED)
  const lent = await basic({}, { endpoint_type: 'ekm-ude' })
  const kept = await ekm().wrap(lent, Buffer.from('x'))
  await ekm().vault.admin.ok('PATCH', `${ENDPOINTS}/${lent.id as string}`, { cvm_required_for_encrypt: true })
  ekm().letPass()
  expect(await wrap(lent)).toEqual(DENIED)
  expect((await ekm().unwrap(lent, kept)).status).toBe(200)
  const blob = await ekm().wrap(ingress, Buffer.from('x'))
  expect(await ekm().unwrap(ingress, blob)).toEqual(DENIED)
  const own = await ekm().wrap(plain, Buffer.from('x'))
  expect((await ekm().unwrap(plain, own)).status).toBe(200)
})

test('lists of attested machines apply only to sessions, not to plain calls', async () => {
  const endpoint = await basic({ attestation_zones: ['zone-1'] }, { endpoint_type: 'ekm-ude' })
  expect((await wrap(endpoint)).status).toBe(200)
})

test('a raw policy sees caller, reason, operation and key, in both dialects', async () => {
  const present = await raw(`package shop.keys

default allow := false

allow if {
	input.clients == "${EMAIL}"
	input.operation == "wrap"
	input.justificationReason == "CUSTOMER_INITIATED_ACCESS"
	startswith(input.resourceName, "projects/shop/")
	not input.isKeyHealthCheck
	not input.attestation
}
`)
  const context = { ...because(5), relativeResourceName: 'projects/shop/key' }
  expect((await wrap(present, context)).status).toBe(200)
  expect(await wrap(present, { ...context, isKeyHealthCheck: true })).toEqual(DENIED)
  expect(await wrap(present, { ...context, relativeResourceName: 'projects/else' })).toEqual(DENIED)
  expect(await wrap(present, because(5))).toEqual(DENIED)
  expect(await wrap(present, context, { email: 'else@else.test' })).toEqual(DENIED)
  expect(await ekm().unwrap(present, Buffer.alloc(64), { additionalContext: context })).toEqual(DENIED)
  const former = await raw(`package old

default allow = false

allow {
	lower(input.clients) == "${EMAIL}"
	input.justificationReason == {"CUSTOMER_INITIATED_ACCESS", "GOOGLE_INITIATED_REVIEW"}[_]
}
`)
  expect((await wrap(former, because(4))).status).toBe(200)
  expect(await wrap(former, because(6))).toEqual(DENIED)
})

test.each([
  ['undefined', 'allow if input.clients == "nobody"'],
  ['a text', 'allow := "true"'],
  ['a number', 'allow := 1'],
  ['a set with true', 'allow := {true}'],
  ['conflicting', 'allow := true if input.operation\n\nallow := false if input.clients'],
  [
    'endless',
    'allow if {\n\tsome x in numbers.range(1, 100000)\n\tsome y in numbers.range(1, 100000)\n\tx * y == 0\n}',
  ],
])('a decision that is %s is a refusal, and that of another endpoint is not affected', async (_what, rule) => {
  const endpoint = await raw(`package p\n\n${rule}\n`)
  expect(await wrap(endpoint)).toEqual(DENIED)
  expect((await wrap(await basic({}))).status).toBe(200)
})

test('the record of a refusal names the rule that is outside the policy, and the code of a policy that failed', async () => {
  const [confidential, failing] = [randomUUID(), randomUUID()]
  const ude = await basic({}, { endpoint_type: 'ekm-ude', cvm_required_for_encrypt: true })
  await wrap(ude, { relativeResourceName: confidential })
  const conflict = await raw('package p\n\nallow := true if input.operation\n\nallow := false if input.clients\n')
  await wrap(conflict, { relativeResourceName: failing })
  const [outside] = await ekm().lines(1, { resource: confidential })
  const [failed] = await ekm().lines(1, { resource: failing })
  expect(outside).toMatchObject({ rule: 'cvm_required_for_encrypt', status: 403 })
  expect(failed).toMatchObject({ policyError: 'eval_conflict_error', status: 403 })
})
