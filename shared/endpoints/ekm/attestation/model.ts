import * as z from 'zod'
import { STEPS } from '../../../attestation/evidence.ts'
import { TECHNOLOGIES } from '../../../attestation/facts.ts'
import { base64In } from '../../../base/base64.ts'
import { Time } from '../../../http/common-fields.ts'
import { object, strictObject } from '../../../base/lazy-fields.ts'
import { EkmPolicyInput } from '../policy-model.ts'

/** Ours: the certificates of several makers and products, and far below the size of a record. */
const TEXT_CHARACTERS = 65_536
const Certificates = z.string().max(TEXT_CHARACTERS).meta({ description: 'certificates in PEM, one after another' })

/** Fields with certificates of authorities. */
export const TRUST_FIELDS = [
  'machine_roots',
  'machine_intermediates',
  'processor_roots',
  'processor_intermediates',
] as const
export type TrustField = (typeof TRUST_FIELDS)[number]

const TrustedAuthority = object(() => ({
  field: z.enum(TRUST_FIELDS),
  subject: z.string(),
  notAfter: Time,
  sha256Fingerprint: z.string(),
}))

/** The authorities whose evidence this deployment accepts. */
export const AttestationTrustRecord = object(() => ({
  machine_roots: Certificates.optional(),
  machine_intermediates: Certificates.optional(),
  processor_roots: Certificates.optional(),
  processor_intermediates: Certificates.optional(),
  authorities: z.array(TrustedAuthority).meta({ description: 'the certificates of all fields' }),
  updatedAt: Time.optional(),
}))
export type AttestationTrustRecord = z.infer<typeof AttestationTrustRecord>

const Changed = Certificates.min(1).nullable().optional()

export const UpdateAttestationTrust = strictObject(() => ({
  machine_roots: Changed.meta({ description: 'authorities of the attestation keys of virtual machines' }),
  machine_intermediates: Changed.meta({ description: 'authorities between them and the keys' }),
  processor_roots: Changed.meta({
    description: 'ARK of AMD; without one, reports of processors are ignored',
  }),
  processor_intermediates: Changed.meta({ description: 'ASK and ASVK of AMD' }),
}))
export type UpdateAttestationTrust = z.infer<typeof UpdateAttestationTrust>

const Bytes = z.string().refine((text) => base64In(text) !== undefined, { error: 'must be base64' })

/** Tests evidence against a saved endpoint. */
export const TestAttestation = strictObject(() => ({
  evidence: Bytes.min(1).meta({ description: 'base64 of the attestation message' }),
  nonce: Bytes.min(1).optional().meta({ description: 'base64; the nonce is not compared without it' }),
  at: Time.optional().meta({ description: 'time at which certificates must be valid; now without it' }),
  input: EkmPolicyInput.omit({ attestation: true })
    .optional()
    .meta({ description: 'the call; confidentialwrap by a caller whom a basic policy lists without it' }),
}))
export type TestAttestation = z.infer<typeof TestAttestation>

const Facts = object(() => ({
  technology: z.enum(TECHNOLOGIES).optional(),
  instance_name: z.string().optional(),
  instance_id: z.string().optional(),
  project_id: z.string().optional(),
  project_number: z.string().optional(),
  zone: z.string().optional(),
  firmware_version: z.int().optional(),
  secure_boot: z.boolean().optional(),
  snp_measurement: z.string().optional().meta({ description: 'hex' }),
}))

/** The verdict on evidence, and the decision of the endpoint on a call from a session with it. */
export const AttestationVerdict = object(() => ({
  proved: Facts,
  refused: z.array(z.object({ step: z.enum(STEPS), reason: z.string() })),
  policy: z.object({
    allow: z.boolean(),
    rule: z.string().meta({
      description: 'the rule that decided; `attestation` when the evidence is refused, since no session begins then',
    }),
  }),
}))
export type AttestationVerdict = z.infer<typeof AttestationVerdict>
