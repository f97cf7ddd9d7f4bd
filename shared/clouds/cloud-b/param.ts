import * as z from 'zod'
import { object } from '../../base/lazy-fields.ts'

/** Editions of the cloud: the public one, and those for two governments. */
export const CLOUD_B_NAMES = ['cloud-b', 'cloud-b-gov', 'cloud-b-cn'] as const
export type CloudBName = (typeof CLOUD_B_NAMES)[number]

export const CLOUD_B_KEY_TYPES = ['EC', 'EC-HSM', 'RSA', 'RSA-HSM'] as const
/** Types of found keys too: octet keys exist only in managed HSM pools. */
export const CLOUD_B_FOUND_TYPES = [...CLOUD_B_KEY_TYPES, 'oct-HSM', 'oct'] as const
export type CloudBKeyType = (typeof CLOUD_B_FOUND_TYPES)[number]

export const CLOUD_B_CURVES = ['P-256', 'P-384', 'P-521', 'SECP256K1'] as const
export type CloudBCurve = (typeof CLOUD_B_CURVES)[number]

export const CLOUD_B_KEY_OPS = ['encrypt', 'decrypt', 'sign', 'verify', 'wrapKey', 'unwrapKey', 'import'] as const
export type CloudBKeyOp = (typeof CLOUD_B_KEY_OPS)[number]

export const CLOUD_B_RSA_BITS = [2048, 3072, 4096] as const

/** Integer seconds since 1970, as in the cloud's API. */
const Seconds = z.int().nonnegative()

/** Attributes of a version of a key, secret or certificate, as the cloud describes them. */
export const CloudBAttributes = object(() => ({
  enabled: z.boolean(),
  nbf: Seconds.optional(),
  exp: Seconds.optional(),
  created: Seconds,
  updated: Seconds,
  recoveryLevel: z.string().optional(),
  recoverableDays: z.int().optional(),
  exportable: z.boolean().optional(),
}))
export type CloudBAttributes = z.infer<typeof CloudBAttributes>

const Tags = z.record(z.string(), z.string())

/** Conditions under which an exportable key may be released. Ours: the policy as JSON, which the cloud encodes. */
export const CloudBReleasePolicy = object(() => ({
  data: z.record(z.string(), z.unknown()),
  immutable: z.boolean().optional(),
}))
export type CloudBReleasePolicy = z.infer<typeof CloudBReleasePolicy>

/** A version of a key, as the cloud describes it. */
export const CloudBKeyParam = object(() => ({
  key: z.object({
    kid: z.string(),
    kty: z.enum(CLOUD_B_FOUND_TYPES),
    key_ops: z.array(z.string()),
    crv: z.enum(CLOUD_B_CURVES).optional(),
    n: z.string().optional(),
    e: z.string().optional(),
    x: z.string().optional(),
    y: z.string().optional(),
  }),
  attributes: CloudBAttributes,
  tags: Tags,
  release_policy: CloudBReleasePolicy.optional(),
  managed: z
    .boolean()
    .optional()
    .meta({ description: 'whether it belongs to a certificate, and changes only with it' }),
}))
export type CloudBKeyParam = z.infer<typeof CloudBKeyParam>

/** A version of a secret, as the cloud describes it: its value is never read. */
export const CloudBSecretParam = object(() => ({
  id: z.string(),
  attributes: CloudBAttributes,
  contentType: z.string().optional(),
  tags: Tags,
  managed: z
    .boolean()
    .optional()
    .meta({ description: 'whether it belongs to a certificate, and changes only with it' }),
}))
export type CloudBSecretParam = z.infer<typeof CloudBSecretParam>

/** A version of a certificate, as the cloud describes it. */
export const CloudBCertificateParam = object(() => ({
  id: z.string(),
  kid: z.string().optional(),
  sid: z.string().optional(),
  x5t: z.string().optional().meta({ description: 'SHA-1 thumbprint, hexadecimal' }),
  cer: z
    .string()
    .optional()
    .meta({ description: 'the certificate, Base64 of DER; absent while it waits for its issuer' }),
  attributes: CloudBAttributes,
  tags: Tags,
  policy: z.record(z.string(), z.unknown()).optional(),
}))
export type CloudBCertificateParam = z.infer<typeof CloudBCertificateParam>

/** Tag with which a version created by this service names its record. */
export const RECORD_TAG = 'keymgr_key_id'
