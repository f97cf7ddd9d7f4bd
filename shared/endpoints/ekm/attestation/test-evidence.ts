import { isConfidential, type AttestedFacts } from '../../../attestation/facts.ts'
import { verifyAttestation } from '../../../attestation/verify.ts'
import { picked } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { decisionOf } from '../../../endpoint/policy-test.ts'
import type { Context } from '../../../http/context.ts'
import { findRecord } from '../../../resource/records.ts'
import { rulesOfBasic } from '../basic-policy.ts'
import type { EkmPolicyInput } from '../policy-model.ts'
import { dialectOfPolicy, textOfPolicy } from '../policy-text.ts'
import { isConfidentialVerb } from '../data/address.ts'
import { ekmEndpointKind } from '../records.ts'
import type { StoredEkmEndpoint } from '../store.ts'
import type { AttestationVerdict, TestAttestation } from './model.ts'
import { presentTrust } from './trust.ts'

type Policy = AttestationVerdict['policy']

/** Ours: a call that passes the other rules of a basic policy, so that only the evidence decides. */
function usualInput({ policy: { basic } }: StoredEkmEndpoint): EkmPolicyInput {
  const [clients] = basic?.clients ?? []
  const [justificationReason] = basic?.justification_reason ?? []
  return {
    operation: 'confidentialwrap',
    ...(clients && { clients }),
    ...(justificationReason && { justificationReason }),
  }
}

const ENCRYPTING: readonly string[] = ['wrap', 'confidentialwrap']
const DECRYPTING: readonly string[] = ['unwrap', 'confidentialunwrap']

/** The endpoint's setting that demands a confidential machine, if the machine of the call is not confidential. */
function brokenSetting(
  { cvm_required_for_encrypt: toEncrypt, cvm_required_for_decrypt: toDecrypt }: StoredEkmEndpoint,
  operation: string,
  facts: AttestedFacts,
): string | undefined {
  if (isConfidentialVerb(operation) && isConfidential(facts)) return undefined
  if (toEncrypt && ENCRYPTING.includes(operation)) return 'cvm_required_for_encrypt'
  if (toDecrypt && DECRYPTING.includes(operation)) return 'cvm_required_for_decrypt'
  return undefined
}

async function decided(
  context: Context,
  endpoint: StoredEkmEndpoint,
  input: EkmPolicyInput,
  facts: AttestedFacts,
): Promise<Policy> {
  const operation: string = input.operation ?? ''
  const setting = brokenSetting(endpoint, operation, facts)
  if (setting !== undefined) return { allow: false, rule: setting }
  const conditions = endpoint.policy.basic === undefined ? [] : rulesOfBasic(endpoint.policy.basic)
  const tested = { text: textOfPolicy(endpoint.policy), dialect: dialectOfPolicy(endpoint), conditions }
  const attestation = picked(facts, 'instance_name', 'project_id', 'zone', 'technology')
  const isPlain = operation !== '' && !isConfidentialVerb(operation) // a call outside of a session has no facts
  const { allowed, decided_by: by } = await decisionOf(context, tested, isPlain ? input : { ...input, attestation })
  return { allow: allowed, rule: by.rule }
}

/**
 * Verifies evidence as a session does, and decides on a call from that session. It stores nothing.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for an endpoint without sessions
 */
export async function testAttestation(
  context: Context,
  id: string,
  { evidence, nonce, at, input }: TestAttestation,
): Promise<AttestationVerdict> {
  const { item: endpoint } = await findRecord(ekmEndpointKind, context, id)
  if (endpoint.endpoint_type !== 'ekm-ude')
    throw new Refusal('STATE_CONFLICT', `The EKM endpoint ${endpoint.name} has no sessions: its endpoint_type is ekm.`)
  const { facts, refused } = verifyAttestation(Buffer.from(evidence, 'base64'), {
    nonce: nonce === undefined ? undefined : Buffer.from(nonce, 'base64'),
    trust: await presentTrust(),
    now: at === undefined ? context.now : new Date(at),
  })
  const policy =
    refused.length > 0
      ? { allow: false, rule: 'attestation' }
      : await decided(context, endpoint, input ?? usualInput(endpoint), facts)
  return { proved: facts, refused: [...refused], policy }
}
