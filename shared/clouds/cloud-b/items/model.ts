import * as z from 'zod'
import { MATERIAL_ORIGINS } from '../../../cloud/keys/model.ts'
import { column, NameOrId, Resource, Time } from '../../../http/common-fields.ts'
import { anyOf, anyText, anyTexts, flag, oneText } from '../../../http/lists/list-query.ts'
import { rulesWithin, type Rule } from '../../../http/rules.ts'
import { fieldsOf, isGiven, type Fields } from '../../../base/json.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { CLOUD_B_NAMES, RECORD_TAG, type CloudBAttributes } from '../param.ts'

/** Ours: a live key is ACTIVE, even where the cloud's documentation says AVAILABLE. */
export const STATUSES = ['ACTIVE', 'SOFT-DELETED', 'DELETED'] as const

/** Fields of every version of a key, secret or certificate, as listed and stored. */
export const CommonItem = extended(Resource, () => ({
  key_vault: z.string().meta({ ...column('container'), description: 'name of the vault' }),
  key_vault_id: z.string().meta({ description: 'id of its record' }),
  tenant: z.string(),
  region: z.string(),
  cloud_name: z.enum(CLOUD_B_NAMES),
  version: z.string(),
  // Ours: without this field, the time alone would show which version is the latest.
  is_latest: z.boolean().meta({ description: 'whether the cloud uses it where no version is named' }),
  status: z.enum(STATUSES),
  gone: z.boolean().meta({ description: 'whether the cloud no longer has it' }),
  deleted: z.boolean().meta({ description: 'whether it is deleted for good' }),
  soft_delete_enabled: z.boolean(),
  deletion_date: Time.optional().meta({ description: 'when it was deleted' }),
  purge_date: Time.optional().meta({ description: 'when the cloud removes it for good' }),
  syncedAt: Time,
  azure_created_at: Time,
  azure_updated_at: Time,
  azure_expire_at: Time.optional(),
  created_by: z.string().optional(),
  modified_by: z.string().optional(),
  backup: z.string().optional().meta({ description: 'id of the newest backup' }),
  backup_at: Time.optional(),
  key_material_origin: z.enum(MATERIAL_ORIGINS),
  unread: z.array(z.string()).optional().meta({
    description: '`key` when the cloud did not let the service read it last time: its values are former ones',
  }),
}))
export type CommonItem = z.infer<typeof CommonItem>

/** Fields that derive from others when a record is shown. */
export const DERIVED = { deleted: true, soft_delete_enabled: true } as const

type Listed = Omit<CommonItem, keyof typeof DERIVED> & {
  readonly cloud_b_param: { readonly attributes: CloudBAttributes; readonly tags: Readonly<Record<string, string>> }
}

/** Filters of every list. */
export const commonItemFilters = {
  ...anyTexts('id', 'key_vault_id', 'region', 'tenant'),
  key_vault: anyText().optional().meta({ description: 'name or id of the vault' }),
  version: oneText().optional().meta({ description: '-1 for the latest versions' }),
  tags: oneText().optional().meta({ description: 'a selector such as a=b,c: tags that must all be there' }),
  status: anyOf([...STATUSES, 'AVAILABLE']).optional(),
  enabled: flag().optional(),
  gone: flag().optional(),
  deleted: flag().optional(),
}
/** Fields of rows that every list can filter by. */
export const commonItemRow = ({ cloud_b_param: { attributes, tags }, ...item }: Listed) => ({
  id: item.id,
  key_vault_id: item.key_vault_id,
  region: item.region,
  tenant: item.tenant,
  version: item.version,
  is_latest: item.is_latest,
  status: item.status,
  enabled: attributes.enabled,
  tags,
  gone: item.gone,
  expires: item.azure_expire_at,
  createdAt: item.createdAt,
})

export const Vault = NameOrId.meta({ description: 'name or id of the vault, or <name>::<subscription id>' })
export const ItemName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,127}$/, { error: 'must have 1 to 127 letters, digits and dashes' })

const TAGS_MOST = 15
const TAG_VALUE = /^[A-Za-z0-9!@#$)({}><?+\-/[\]^&=|~`;.'_ ]*$/
/** The rules of the cloud and of the interface for tags. One more tag is reserved for the service. */
export const Tags = z
  .record(z.string().min(1).max(256), z.string().max(256))
  .refine((tags) => Object.keys(tags).length < TAGS_MOST, {
    error: `must be at most ${TAGS_MOST - 1} tags: one more is for the service`,
  })
  .refine((tags) => Object.values(tags).every((value) => TAG_VALUE.test(value)), {
    error:
      "must have values of letters, digits and ! @ # $ ) ( { } > < ? + - / [ ] ^ & = | ~ ` ; . ' _, without : and %",
  })
  .refine((tags) => !Object.hasOwn(tags, RECORD_TAG), { error: `must not set ${RECORD_TAG}, which is the service's` })

/** Ours: far more than a key and its certificates need as PKCS #12. */
const PFX_CHARACTERS = 65_536
/** A PFX and its password. */
export const pfxFields = {
  pfx: z.base64().min(1).max(PFX_CHARACTERS).optional().meta({ writeOnly: true, description: 'PKCS #12, Base64' }),
  password: z.string().max(1_024).optional().meta({ writeOnly: true, description: 'of the PFX' }),
}

const Seconds = z.int().nonnegative().max(253_402_300_799).meta({ description: 'seconds since 1970' })
export const Attributes = strictObject(() => ({
  enabled: z.boolean().optional(),
  nbf: Seconds.optional(),
  exp: Seconds.optional(),
}))

/** Rules between members of `cloud_b_param`. */
export const ofParam = (...rules: Rule[]): Rule[] => rulesWithin('cloud_b_param', rules)
const isReversed = ({ nbf, exp }: Fields): boolean => typeof nbf === 'number' && typeof exp === 'number' && exp <= nbf
export const expiresLater: Rule = {
  message: 'attributes/exp must be later than attributes/nbf',
  field: 'attributes',
  broken: ({ attributes }) => isGiven(attributes) && isReversed(fieldsOf(attributes)),
}
