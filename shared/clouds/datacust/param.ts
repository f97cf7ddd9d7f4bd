import * as z from 'zod'
import { namesOf } from '../../base/fields.ts'
import { object } from '../../base/lazy-fields.ts'

export const DATACUST_TYPES = ['AES', 'RSA', 'EC'] as const
export type DatacustType = (typeof DATACUST_TYPES)[number]
export const DATACUST_OPERATIONS = ['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY', 'WRAP', 'UNWRAP'] as const
export type DatacustOperation = (typeof DATACUST_OPERATIONS)[number]

/** Curves by the cloud's names: the local keys' names, and the bits of each. */
export const DATACUST_CURVES = {
  NistP192: { local: 'prime192v1', bits: 192 },
  NistP224: { local: 'secp224r1', bits: 224 },
  NistP256: { local: 'prime256v1', bits: 256 },
  NistP384: { local: 'secp384r1', bits: 384 },
  NistP521: { local: 'secp521r1', bits: 521 },
  SecP192K1: { local: 'secp192k1', bits: 192 },
  SecP224K1: { local: 'secp224k1', bits: 224 },
  SecP256K1: { local: 'secp256k1', bits: 256 },
} as const
export type DatacustCurve = keyof typeof DATACUST_CURVES
export const DATACUST_CURVE_NAMES = namesOf(DATACUST_CURVES)

export const KeystoreContext = z.looseObject({ customerHeld: z.boolean().optional() })
export const Meta = z.looseObject({
  created: z.string().optional(),
  creatorId: z.string().optional(),
  creatorName: z.string().optional(),
  imported: z.boolean().optional(),
  primaryVersion: z.int().optional(),
  totalVersions: z.int().optional(),
})

/**
 * The cloud's description of a key, with the cloud's own names. Ours: members are sorted by name, and members that this
 * service does not know are kept.
 */
export const DatacustParam = z.looseObject({
  id: z.string().meta({ description: "the cloud's id" }),
  name: z.string(),
  description: z.string().optional(),
  groupId: z.string().meta({ description: "the cloud's id of the group" }),
  type: z.string(),
  size: z.int().optional().meta({ description: 'bits' }),
  operations: z.array(z.string()),
  role: z.string().optional(),
  enabled: z.boolean(),
  exportable: z.boolean().optional(),
  state: z.string().optional(),
  keystoreContext: KeystoreContext.optional(),
  meta: Meta.optional(),
})
export type DatacustParam = z.infer<typeof DatacustParam>

/** The cloud's description of a version of a key. */
export const DatacustVersionParam = object(() => ({
  version: z.int().meta({ description: "the cloud's number of the version; the first is 0" }),
  is_primary: z.boolean(),
  enabled: z.boolean(),
  imported: z.boolean().optional(),
  operations: z.array(z.string()).optional(),
  created: z.string().optional(),
}))
export type DatacustVersionParam = z.infer<typeof DatacustVersionParam>
