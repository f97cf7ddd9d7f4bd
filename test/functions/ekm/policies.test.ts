import { beforeAll, expect, test } from 'vitest'
import { expectRefused } from '../vault/vault.ts'
import { EMAIL, ENDPOINTS, useEkm } from './ekm.ts'

const ekm = useEkm()
const admin = () => ekm().vault.admin

const REGO = `package mine

default allow := false

allow if {
	input.clients == "one@shop.test"
}

allow if input.operation == "unwrap"
`
const RAW = { raw_policy_enabled: true, policy: { rego: REGO } }
const UDE = {
  endpoint_type: 'ekm-ude',
  policy: {
    basic: {
      clients: [EMAIL, 'Second@shop.test'],
      justification_required: true,
      justification_reason: ['CUSTOMER_INITIATED_ACCESS', 'REASON_UNSPECIFIED'],
      attestation_instance_names: ['machine-1'],
      attestation_project_ids: ['shop'],
      attestation_zones: ['zone-1', 'zone-2'],
    },
  },
}

let basic: any
let raw: any
beforeAll(async () => {
  ;[basic, raw] = await Promise.all([ekm().create(UDE), ekm().create(RAW)])
})

const policiesOf = ({ id }: any) => `${ENDPOINTS}/${id as string}/policies`
const ask = ({ id }: any, body: object) => admin().call('POST', `${ENDPOINTS}/${id as string}/policy/test`, body)

test('the Rego of a basic policy is shown, and decides like a raw policy', async () => {
  const { policy, raw_policy } = await admin().ok('GET', policiesOf(basic))
  expect(policy).toEqual(UDE.policy)
  const copy = await ekm().create({ raw_policy_enabled: true, policy: { rego: raw_policy }, endpoint_type: 'ekm-ude' })
  expect(await admin().ok('GET', policiesOf(copy))).toEqual({ policy: { rego: raw_policy }, raw_policy })
  const attestation = { instance_name: 'machine-1', project_id: 'shop', zone: 'zone-2' }
  for (const input of [
    { clients: EMAIL, operation: 'wrap', justificationReason: 'CUSTOMER_INITIATED_ACCESS' },
    { clients: 'SECOND@shop.test', operation: 'unwrap', justificationReason: 'REASON_UNSPECIFIED' },
    { clients: EMAIL, operation: 'wrap' },
    { clients: EMAIL, operation: 'confidentialwrap', justificationReason: 'REASON_UNSPECIFIED', attestation },
    { clients: EMAIL, operation: 'confidentialwrap', justificationReason: 'REASON_UNSPECIFIED' },
    {},
  ]) {
    const [ours, theirs] = [await ask(basic, { input }), await ask(copy, { input })]
    expect(theirs.body.allowed, JSON.stringify(input)).toBe(ours.body.allowed)
  }
})

test('a policy can be changed only within its kind', async () => {
  const other = { clients: ['other@shop.test'] }
  const { policy, raw_policy } = await admin().ok('PATCH', policiesOf(await ekm().create()), { basic: other })
  expect(policy).toEqual({ basic: { ...other, justification_required: false } })
  expect(raw_policy).toContain('"other@shop.test"')
  const changed = await admin().ok('PATCH', policiesOf(await ekm().create(RAW)), { rego: `${REGO}# changed\n` })
  expect(changed.raw_policy).toBe(`${REGO}# changed\n`)
  for (const [endpoint, body, pointer] of [
    [basic, { rego: REGO }, '#/rego'],
    [basic, {}, '#/basic'],
    [basic, { basic: other, rego: REGO }, '#/rego'],
    [raw, { basic: other }, '#/basic'],
    [raw, {}, '#/rego'],
    [basic, { basic: { ...other, justification_required: true } }, '#/basic/justification_reason'],
  ] as const)
    expectRefused(await admin().call('PATCH', policiesOf(endpoint), body), 422, 2, pointer)
  const plain = await ekm().create()
  const attested = { basic: { ...other, attestation_zones: ['z'] } }
  expectRefused(await admin().call('PATCH', policiesOf(plain), attested), 422, 2, '#/basic/attestation_zones')
})

test('a change of the kind must contain the policy', async () => {
  const { id } = await ekm().create()
  const path = `${ENDPOINTS}/${id as string}`
  const changed = await admin().ok('PATCH', path, RAW)
  expect(changed).toMatchObject({ raw_policy_enabled: true, policy: { rego: REGO } })
  expect(await admin().ok('PATCH', path, { raw_policy_enabled: true })).toMatchObject({ policy: { rego: REGO } })
  const back = { raw_policy_enabled: false, policy: { basic: { clients: [EMAIL] } } }
  expect((await admin().ok('PATCH', path, back)).policy).not.toHaveProperty('rego')
})

const BROKEN = 'package p\n\ndefault allow := false\n\nallow if {\n\tno.such("x")\n\tnor.such("y")\n}\n'

test.each<[string, string, RegExp]>([
  ['cut short', 'package p\n\nallow if {\n', /^line \d+, column \d+: /],
  ['no policy', 'allow everything, please', /^line 1, column \d+: /],
  ['without allow', 'package p\n\npermit := true\n', /^line \d+, column \d+: .*allow/],
  ['allowing by function', 'package p\n\nallow(x) if x == 1\n', /^line \d+, column \d+: .*allow/],
  [
    'calling what is not offered',
    'package p\n\nallow if http.send({"url": "x"})\n',
    /^line 3, column \d+: .*http\.send/,
  ],
  ['using what nothing binds', 'package p\n\nallow if nobody == 1\n', /^line 3, column \d+: .*nobody/],
])('a policy that is %s is refused with line, column and reason, in every call', async (_what, rego, says) => {
  const { id } = raw
  for (const [pointer, answered] of [
    ['#/policy/rego', await ekm().tryCreate({ raw_policy_enabled: true, policy: { rego } })],
    ['#/policy/rego', await admin().call('PATCH', `${ENDPOINTS}/${id as string}`, { policy: { rego } })],
    ['#/rego', await admin().call('PATCH', policiesOf(raw), { rego })],
    ['#/policy/rego', await ask(raw, { input: {}, policy: { rego } })],
  ] as const) {
    expectRefused(answered, 422, 2, pointer)
    expect(answered.body.errors[0].detail).toMatch(says)
  }
  expect((await admin().ok('GET', policiesOf(raw))).raw_policy).toBe(REGO)
})

test('all faults of a policy are named', async () => {
  const { body } = await ekm().tryCreate({ raw_policy_enabled: true, policy: { rego: BROKEN } })
  const lines = body.errors.map(({ detail }: any) => /^line (\d+), /.exec(detail as string)?.[1])
  expect(lines).toEqual(['6', '7'])
  const large = await ekm().tryCreate({ raw_policy_enabled: true, policy: { rego: `${REGO}#${'x'.repeat(65_536)}` } })
  expectRefused(large, 422, 2, '#/policy/rego')
})

const GOOD = { clients: EMAIL, operation: 'wrap', justificationReason: 'CUSTOMER_INITIATED_ACCESS' }
const MACHINE = { instance_name: 'machine-1', project_id: 'shop', zone: 'zone-1' }
const CONFIDENTIAL = { ...GOOD, operation: 'confidentialwrap' }

test.each<[string, object, boolean, string]>([
  ['all that it asks for', GOOD, true, 'allow'],
  ['another caller', { ...GOOD, clients: 'else@else.test' }, false, 'client_listed'],
  ['nobody', { ...GOOD, clients: undefined }, false, 'client_listed'],
  ['another reason', { ...GOOD, justificationReason: 'REASON_NOT_EXPECTED' }, false, 'justification_accepted'],
  ['no reason', { ...GOOD, justificationReason: undefined }, false, 'justification_accepted'],
  ['a machine in its lists', { ...CONFIDENTIAL, attestation: MACHINE }, true, 'allow'],
  [
    'another instance',
    { ...CONFIDENTIAL, attestation: { ...MACHINE, instance_name: 'x' } },
    false,
    'instance_accepted',
  ],
  ['another project', { ...CONFIDENTIAL, attestation: { ...MACHINE, project_id: 'x' } }, false, 'project_accepted'],
  ['another zone', { ...CONFIDENTIAL, attestation: { ...MACHINE, zone: 'x' } }, false, 'zone_accepted'],
  ['a machine that proved nothing', CONFIDENTIAL, false, 'instance_accepted'],
])('a trial of a basic policy with %s names the rule that decided', async (_what, input, allowed, rule) => {
  const { status, body } = await ask(basic, { input })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({ allowed, decided_by: { rule } })
  expect(body.raw_policy).toContain('package ')
})

test('a trial of a raw policy names the rule that decided, and its line', async () => {
  const tried = async (input: object, more: object = {}) => (await ask(raw, { input, ...more })).body
  expect(await tried({ clients: 'one@shop.test' })).toEqual({
    allowed: true,
    decided_by: { rule: 'allow', line: 5 },
    raw_policy: REGO,
  })
  expect(await tried({ operation: 'unwrap' })).toMatchObject({ allowed: true, decided_by: { rule: 'allow', line: 9 } })
  expect(await tried({})).toMatchObject({ allowed: false, decided_by: { rule: 'default allow', line: 3 } })
  const undecided = { policy: { rego: 'package p\n\nallow if input.clients\n' } }
  expect(await tried({}, undecided)).toMatchObject({ allowed: false, decided_by: { rule: 'none' } })
  const conflicting = {
    policy: { rego: 'package p\n\nallow := true if input.clients\n\nallow := 1 if input.clients\n' },
  }
  expect(await tried({ clients: 'x' }, conflicting)).toMatchObject({
    allowed: false,
    decided_by: { rule: 'error' },
    error: { code: 'eval_conflict_error' },
  })
})

test('a policy in the body of a trial is tried and not stored, whatever its kind, and leaves no record', async () => {
  const { id } = basic
  const body = { input: { clients: 'x' }, raw_policy_enabled: true, policy: { rego: 'package p\n\nallow := true\n' } }
  expect((await ask(basic, body)).body).toMatchObject({ allowed: true, decided_by: { rule: 'allow' } })
  expect((await admin().ok('GET', policiesOf(basic))).policy).toEqual(UDE.policy)
  expectRefused(await ask(basic, { input: {}, policy: { rego: REGO } }), 422, 2, '#/policy/rego')
  expectRefused(await ask(basic, { input: {}, raw_policy_enabled: true }), 422, 2, '#/policy/rego')
  expectRefused(await ask(basic, {}), 422, 2, '#/input')
  expectRefused(await ask(basic, { input: { colour: 'red' } }), 400, 1, '#/input/colour')
  const records = await ekm().vault.records(`resource_uri=${encodeURIComponent((basic as { uri: string }).uri)}`)
  expect(records.map(({ message }) => message as string)).toEqual(['Create EKM Endpoint'])
  expect(id).toBeDefined()
})

test('a basic policy that could not be saved was tried, and reported to allow a call without a reason', async () => {
  const policy = { basic: { clients: [EMAIL], justification_required: true } }
  expectRefused(await ask(basic, { input: GOOD, policy }), 422, 2, '#/policy/basic/justification_reason')
})
