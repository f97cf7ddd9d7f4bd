import type { AttestedFacts } from '../../../../attestation/facts.ts'
import { verifyAttestation } from '../../../../attestation/verify.ts'
import { exportFrom, type Connected } from '../../../../tls/server.ts'
import { attestationTrust } from '../attestation-trust.ts'
import { EkmRefusal } from '../errors.ts'
import { invalid } from '../message.ts'
import { readAttestation, type EvidenceTypes } from './messages.ts'
import type { Evidence } from './session.ts'
import type { SessionUse } from './use-session.ts'

const TYPES = { none: 1, quote: 2, eventLog: 3 } as const
const NONCE_EKM32 = 1

/** Answers of each agreement. */
export const AGREED: Readonly<Record<Evidence, readonly number[]>> = {
  none: [TYPES.none],
  machine: [TYPES.quote, TYPES.eventLog],
}

/**
 * The best evidence of an offer: a machine's quote and event log go together. An offer without kinds of nonces means
 * the only one. @see protocol of the EKM data plane, "Negotiation and evidence"
 * @throws EkmRefusal INVALID_ARGUMENT when the offer has no evidence that is accepted
 */
export function agreedEvidence({ types, nonces }: EvidenceTypes): Evidence {
  const [hasQuote, hasLog] = [types.includes(TYPES.quote), types.includes(TYPES.eventLog)]
  if (hasQuote !== hasLog) throw invalid('A quote and an event log are offered together or not at all.')
  if (hasQuote) {
    if (nonces.length > 0 && !nonces.includes(NONCE_EKM32)) throw invalid('The kinds of nonces are unknown.')
    return 'machine'
  }
  if (!types.includes(TYPES.none)) throw invalid('The kinds of evidence are unknown.')
  return 'none'
}

const NONCE_PREFIX = Buffer.from('TLSAttestationV1')
const NONCE_LABEL = 'EXPERIMENTAL Google Confidential Computing Client Attestation 1.0'
const EXPORTED_BYTES = 32

/** The nonce that evidence of this connection quotes, so that the evidence of another connection is refused. */
export const nonceOf = (connection: Connected): Buffer =>
  Buffer.concat([NONCE_PREFIX, exportFrom(connection, NONCE_LABEL, Buffer.alloc(0), EXPORTED_BYTES)])

const COMPARED = ['project_id', 'zone', 'instance_name', 'instance_id'] as const

/** Ours: a token that names a machine names the one that the evidence proves. */
const namesAnother = (facts: AttestedFacts, { identity: { machine = {} } }: SessionUse): boolean =>
  COMPARED.some((fact) => machine[fact] !== undefined && machine[fact] !== facts[fact])

/**
 * The facts that an evidence message proves. The record has the checks that failed; the caller learns nothing of them.
 * @throws EkmRefusal INVALID_ARGUMENT for what is no attestation, PERMISSION_DENIED for one that is not accepted;
 * Refusal UNAVAILABLE
 */
export async function provedFacts(use: SessionUse, connection: Connected, message: Buffer): Promise<AttestedFacts> {
  const { record, now } = use
  const attestation = readAttestation(message)
  if (attestation === undefined || attestation.length === 0) throw invalid('The evidence has no attestation.')
  const trust = await attestationTrust(now)
  const options = { nonce: nonceOf(connection), trust, now: new Date(now.epochMs) }
  const { facts, refused } = verifyAttestation(attestation, options)
  if (refused.length > 0) {
    record.evidence = refused.map(({ step, reason }) => `${step}: ${reason}`).join('; ')
    if (refused.some(({ step }) => step === 'message')) throw invalid('The evidence is not an attestation.')
    throw new EkmRefusal('PERMISSION_DENIED')
  }
  if (namesAnother(facts, use)) {
    record.evidence = 'token: it names another machine'
    throw new EkmRefusal('PERMISSION_DENIED')
  }
  return facts
}
