import * as z from 'zod'
import { FreeText, Name, NameOrId, Time } from '../../http/common-fields.ts'
import { rulesOf, withRules } from '../../http/rules.ts'
import { ExportLocalKey, LocalKey, LocalKeyWithMaterial, Meta } from './model.ts'

/** Bodies of calls on keys that are there. */

const REVOCATION_REASONS = [
  'Unspecified',
  'KeyCompromise',
  'CACompromise',
  'AffiliationChanged',
  'Superseded',
  'CessationOfOperation',
  'PrivilegeWithdrawn',
] as const
const REACTIVATION_REASONS = [
  'DeactivatedToActive',
  'ActiveProtectStopToActive',
  'DeactivatedToActiveProtectStop',
] as const

/** Body of a revocation. */
export const RevokeLocalKey = z.strictObject({
  reason: z.enum(REVOCATION_REASONS),
  message: FreeText.optional(),
  compromiseOccurrenceDate: Time.optional(),
})
export type RevokeLocalKey = z.infer<typeof RevokeLocalKey>

/** Body of a reactivation. */
export const ReactivateLocalKey = z.strictObject({ reason: z.enum(REACTIVATION_REASONS), message: FreeText.optional() })
export type ReactivateLocalKey = z.infer<typeof ReactivateLocalKey>

/** Ours: characters of every key's id. */
const ID_CHARACTERS = 64

/** Body of a clone. Ours: without `meta`, the clone has its source's, but for owner and permissions. */
export const CloneLocalKey = z.strictObject({
  newKeyName: Name,
  meta: Meta.optional(),
  idSize: z
    .literal(ID_CHARACTERS)
    .optional()
    .meta({ description: `characters of the new id: every id has ${ID_CHARACTERS}` }),
  includeMaterial: z.boolean().optional(),
})
export type CloneLocalKey = z.infer<typeof CloneLocalKey>

/** Body that asks for one attribute: a field of the record as shown. */
export const ReadAttribute = z.strictObject({ attribute: LocalKey.keyof() })
export type ReadAttribute = z.infer<typeof ReadAttribute>
export const KeyAttribute = z.object({
  attribute: z.string(),
  value: z.unknown().meta({ description: 'null when the key does not have it' }),
})
export type KeyAttribute = z.infer<typeof KeyAttribute>

/** Body of a bulk export: keys, and the fields of an export that hold for each. */
export const BulkExportKeys = withRules(
  z.strictObject({
    ids: z
      .array(NameOrId)
      .min(1)
      .max(100)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'must name each key once' })
      .meta({ description: 'ids of versions, or names, aliases or uris of keys' }),
    ...ExportLocalKey.shape,
  }),
  ...rulesOf(ExportLocalKey),
)
export type BulkExportKeys = z.infer<typeof BulkExportKeys>

/** Why one key of a bulk export is not exported, in the words of any refusal. */
const NotExported = z.object({
  id: z.string().meta({ description: 'as in the request' }),
  error: z.object({ status: z.int(), code: z.int(), codeDesc: z.string(), detail: z.string() }),
})
/** In the order of `ids`. */
export const BulkExportedKeys = z.array(z.union([LocalKeyWithMaterial, NotExported]))
export type BulkExportedKeys = z.infer<typeof BulkExportedKeys>

/** Answer of a check value. */
export const KeyCheckValue = z.object({
  kcv: z.string().meta({
    description:
      'six hex digits: of a zero block encrypted in ECB mode, or of the MAC of nothing under an HMAC key; as keyCheckValue',
  }),
})
export type KeyCheckValue = z.infer<typeof KeyCheckValue>
