import type { X509Certificate } from 'node:crypto'

/** Technologies of confidential machines, by the byte that the firmware measures. */
export const TECHNOLOGIES = ['NONE', 'AMD_SEV', 'AMD_SEV_ES', 'INTEL_TDX', 'AMD_SEV_SNP'] as const
export type Technology = (typeof TECHNOLOGIES)[number]

/** Whether the evidence shows a confidential machine. */
export const isConfidential = ({ technology = 'NONE' }: Pick<AttestedFacts, 'technology'>): boolean =>
  technology !== 'NONE'

/**
 * Facts that evidence proved about a machine. Names are those of policies and answers; numbers of the cloud need 64
 * bits, so they are decimal text. An absent fact is not proved.
 */
export interface AttestedFacts {
  readonly technology?: Technology
  readonly instance_name?: string
  readonly instance_id?: string
  readonly project_id?: string
  readonly project_number?: string
  readonly zone?: string
  readonly firmware_version?: number
  readonly secure_boot?: boolean
  /** measurement of the machine's first memory, in hex; proved by a report of its processor */
  readonly snp_measurement?: string
}

/** Checks of evidence, in their order. `message`: the bytes are not an attestation message. */
export const STEPS = ['message', 'key', 'signature', 'nonce', 'pcrs', 'log', 'technology', 'snp'] as const
export type Step = (typeof STEPS)[number]

export interface Refused {
  readonly step: Step
  /** a sentence without a period; it contains no evidence */
  readonly reason: string
}

/** Certificates that vouch for keys. */
export interface Authorities {
  readonly roots: readonly X509Certificate[]
  readonly intermediates: readonly X509Certificate[]
}

export interface AttestationTrust {
  /** of the attestation keys of virtual machines */
  readonly machines: Authorities
  /** of AMD's processors: ARK and ASK or ASVK of each product */
  readonly processors: Authorities
}

export interface Verification {
  /** what was proved; evidence is accepted only if nothing is refused */
  readonly facts: AttestedFacts
  readonly refused: readonly Refused[]
}

/**
 * Verifies the evidence of a machine about itself. It does not throw for any bytes.
 * @param message the attestation message of a session
 * @param options.nonce bytes that the evidence must quote; `undefined` leaves this check out, which only a test of
 * evidence may do
 */
export function verifyAttestation(
  message: Uint8Array,
  options: { readonly nonce: Uint8Array | undefined; readonly trust: AttestationTrust; readonly now: Date },
): Verification {
  const { roots } = options.trust.machines
  const reason = roots.length === 0 || message.length === 0 ? 'no roots are configured' : 'evidence is not verified yet'
  return { facts: {}, refused: [{ step: 'message', reason }] }
}
