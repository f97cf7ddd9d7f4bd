import fc from '../../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { JUSTIFICATION_REASONS } from '../../../../shared/endpoints/ekm/justification-reasons.ts'
import { readyBasic, regoOfBasic, rulesOfBasic } from '../../../../shared/endpoints/ekm/basic-policy.ts'
import { compiledPolicy, decide, explain, readPolicy } from '../../../../shared/serving/policy-decision.ts'

const now = new Date('2026-05-04T03:02:01Z')
const isAllowed = async (text: string, input: object): Promise<boolean> =>
  decide(await compiledPolicy(text, 'v1'), { input: { ...input }, now, seed: 'of a test' }).allowed

test('a basic policy reads as Rego that its owner could go on writing', () => {
  const policy = {
    clients: ['One@shop.test', 'one@shop.test', 'two@shop.test'],
    justification_required: false,
    justification_reason: ['GOOGLE_INITIATED_REVIEW' as const],
    attestation_zones: ['zone-1'],
  }
  expect(regoOfBasic(policy)).toBe(`package keymgr.ekm

default allow := false

allow if {
	client_listed
	justification_accepted
	zone_accepted
}

client_listed if lower(input.clients) in {"one@shop.test", "two@shop.test"}

justification_accepted if not input.justificationReason

justification_accepted if input.justificationReason in {"GOOGLE_INITIATED_REVIEW"}

zone_accepted if not input.operation in {"confidentialwrap", "confidentialunwrap"}

zone_accepted if input.attestation.zone in {"zone-1"}
`)
  expect(rulesOfBasic(policy)).toEqual(['client_listed', 'justification_accepted', 'zone_accepted'])
})

test('any text can be a name: it compiles, matches itself, and ends no text', async () => {
  const names = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(names, async (given) => {
      const clients = given.map((name) => name.toWellFormed())
      const text = regoOfBasic({ clients, justification_required: false })
      expect(await readPolicy(text)).toEqual({ dialect: 'v1' })
      for (const name of clients) expect(await isAllowed(text, { clients: name.toLowerCase() })).toBe(true)
      expect(await isAllowed(text, { clients: `${clients.join('')}!` })).toBe(false)
      expect(await isAllowed(text, {})).toBe(false)
    }),
    { numRuns: 60 },
  )
})

test('an empty list demands nothing', () => {
  const policy = { clients: ['a'], justification_required: false, justification_reason: [], attestation_zones: [] }
  expect(rulesOfBasic(policy)).toEqual(['client_listed'])
})

test('a policy that required a reason and listed none allowed every call', () => {
  const policy = { clients: ['a'], justification_required: true }
  const asked = { clients: 'a', operation: 'wrap' }
  for (const justificationReason of [undefined, 'REASON_UNSPECIFIED', 'CUSTOMER_INITIATED_ACCESS'])
    expect(readyBasic(policy)({ ...asked, justificationReason })).toBe('justification_accepted')
})

const reasons = fc.constantFrom(...JUSTIFICATION_REASONS)
const addresses = fc.constantFrom('one@shop.test', 'One@Shop.test', 'TWO@shop.test', 'three@shop.test', 'ünë@shop.test')
const policies = fc.record({
  clients: fc.array(addresses, { minLength: 1, maxLength: 3 }),
  justification_required: fc.boolean(),
  justification_reason: fc.option(fc.array(reasons, { maxLength: 3 }), { nil: undefined }),
  attestation_zones: fc.option(fc.array(fc.constantFrom('zone-1', 'zone-2'), { maxLength: 2 }), { nil: undefined }),
  attestation_instance_names: fc.option(fc.array(fc.constantFrom('vm', 'other'), { maxLength: 1 }), { nil: undefined }),
  attestation_project_ids: fc.option(fc.array(fc.constant('shop'), { maxLength: 1 }), { nil: undefined }),
})
/** The facts that a session proved, in part or none. */
const attestation = fc.option(
  fc.record(
    {
      zone: fc.constantFrom('zone-1', 'zone-2', ''),
      project_id: fc.constantFrom('shop', 'else'),
      instance_name: fc.constant('vm'),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
)
const questions = fc.record({
  attestation,
  clients: addresses,
  operation: fc.constantFrom('wrap', 'unwrap', 'getPublicKey', 'confidentialwrap', 'confidentialunwrap'),
  justificationReason: fc.option(fc.oneof(reasons, fc.constantFrom('9', 'ELSE')), { nil: undefined }),
})

test('the decision without the interpreter equals that of the Rego, with the failed condition', async () => {
  await fc.assert(
    fc.asyncProperty(policies, fc.array(questions, { minLength: 1, maxLength: 8 }), async (policy, asked) => {
      const text = regoOfBasic(policy)
      const compiled = await compiledPolicy(text, 'v1')
      const ready = readyBasic(policy)
      for (const input of asked) {
        const broken = ready(input)
        expect(broken === undefined, JSON.stringify([policy, input])).toBe(await isAllowed(text, input))
        if (broken === undefined) continue
        const explained = await explain(compiled, text, rulesOfBasic(policy), { input, now, seed: 'of a test' })
        expect(explained).toEqual({ rule: broken })
      }
    }),
    { numRuns: 150 },
  )
})
