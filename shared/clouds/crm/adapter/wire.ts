import * as z from 'zod'
import { timeRead } from '../../../cloud/adapter/dates.ts'
import { defined } from '../../../base/fields.ts'
import { object } from '../../../base/lazy-fields.ts'
import { CRM_KEY_TYPES, CrmParam } from '../param.ts'
import type { CrmCertificateRead, CrmSecretRead } from './types.ts'

/** The cloud's ids: 15 or 18 letters and digits. */
export const Id = z.string().regex(/^[A-Za-z0-9]{15,18}$/)
const Text = z.string().max(4_096)
const Word = z.string().max(255)
/** The cloud writes `null` for absent members. */
const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)
const Time = optional(z.string().max(64)).transform(timeRead)

export const Organization = object(() => ({ Id, Name: Text, IsSandbox: z.boolean() }))

const SECRET_FIELDS = [
  'Id',
  'Description',
  'Type',
  'Status',
  'Version',
  'Source',
  'KeyDerivationMode',
  'SecretValueCertificate',
  'RemoteKeyIdentifier',
  'RemoteKeyServiceId',
  'RemoteKeyCertificate',
  'CreatedById',
  'CreatedDate',
  'LastModifiedDate',
] as const
/** Every field of a secret but its value and the hash of that. */
export const SECRETS = `SELECT ${SECRET_FIELDS.join(', ')} FROM TenantSecret`
export const SECRET_READ = `fields=${SECRET_FIELDS.join(',')}`

export const Secret = object(() => ({
  Id,
  Description: optional(Text),
  Type: optional(Word),
  Status: optional(Word),
  Version: optional(z.coerce.number().int()),
  Source: optional(Word),
  KeyDerivationMode: optional(Word),
  RemoteKeyIdentifier: optional(Word),
  RemoteKeyServiceId: optional(Word),
  RemoteKeyCertificate: optional(Word),
  CreatedById: optional(Word),
  CreatedDate: Time,
  LastModifiedDate: Time,
}))
type Secret = z.infer<typeof Secret>
export const SecretValue = object(() => ({ SecretValue: z.string().min(1).max(16_384) }))
export const Created = z.object({ id: Id })

/** The end of a description that marks a secret as created by a piece of our work. */
const MARK = / ?\[keymgr ([0-9a-f-]{36})\]$/
export const marked = (description: string, id: string): string => `${description} [keymgr ${id}]`.trimStart()

/** The types of the interface in its own spelling; others as the cloud writes them. */
const typeOf = (type: string): string => CRM_KEY_TYPES.find((one) => one.toLowerCase() === type.toLowerCase()) ?? type

export function secretRead(secret: Secret): CrmSecretRead {
  const { Description: words } = secret
  const [, mark] = MARK.exec(words ?? '') ?? []
  const description = words?.replace(MARK, '')
  const param = CrmParam.parse(
    defined({
      crm_id: secret.Id,
      created_by_id: secret.CreatedById,
      created_date: secret.CreatedDate,
      last_modified_date: secret.LastModifiedDate,
      version: secret.Version ?? 0,
      status: (secret.Status ?? '').toUpperCase(),
      type: typeOf(secret.Type ?? ''),
      source: (secret.Source ?? '').toUpperCase(),
      key_derivation_mode: secret.KeyDerivationMode?.toUpperCase(),
      description: description === '' ? undefined : description,
      named_credential_id: secret.RemoteKeyServiceId,
      remote_key_certificate: secret.RemoteKeyCertificate,
      RemoteKeyIdentifier: secret.RemoteKeyIdentifier,
    }),
  )
  return { ref: secret.Id, param, ...defined({ mark }) }
}

export const CERTIFICATES =
  'SELECT Id, DeveloperName, MasterLabel, KeySize, ExpirationDate, OptionsIsCaSigned, OptionsIsEncryptedWithPE, ' +
  'OptionsIsPrivateKeyExportable, OptionsIsUnusable FROM Certificate'

export const Certificate = object(() => ({
  Id,
  DeveloperName: Word,
  MasterLabel: optional(Text),
  KeySize: optional(z.coerce.number().int()),
  ExpirationDate: Time,
  OptionsIsEncryptedWithPE: optional(z.boolean()),
  OptionsIsPrivateKeyExportable: optional(z.boolean()),
  OptionsIsUnusable: optional(z.boolean()),
}))

export const certificateRead = (certificate: z.infer<typeof Certificate>): CrmCertificateRead => ({
  ref: certificate.Id,
  param: {
    crm_certificate_id: certificate.Id,
    name: certificate.DeveloperName,
    label: certificate.MasterLabel ?? certificate.DeveloperName,
    key_size: certificate.KeySize ?? 0,
    ...defined({ expires_at: certificate.ExpirationDate }),
    exportable: certificate.OptionsIsPrivateKeyExportable ?? false,
    platform_encryption: certificate.OptionsIsEncryptedWithPE ?? false,
    is_unusable: certificate.OptionsIsUnusable ?? false,
  },
})

export const NAMED_CREDENTIALS = 'SELECT Id, DeveloperName, MasterLabel, Endpoint, PrincipalType FROM NamedCredential'
export const NamedCredential = object(() => ({ Id, DeveloperName: Word, Endpoint: Text.nullish() }))

export const LOG_FILES = "SELECT Id, LogDate, LogFile FROM EventLogFile WHERE EventType = 'PlatformEncryption'"
export const LogFile = object(() => ({ Id, LogDate: z.string().max(64), LogFile: z.string().max(1_024) }))
