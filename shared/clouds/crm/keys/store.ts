import * as z from 'zod'
import { materialFamilies } from '../../../cloud/keys/key-users.ts'
import { readingDigest } from '../../../cloud/keys/reading-digest.ts'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { JOINS_NO_CONFIG } from '../../../work/schedule/job-operations/joined.ts'
import { extended, object } from '../../../base/lazy-fields.ts'
import { CrmSecret } from './model.ts'

const StoredCrmSecret = extended(CrmSecret, () => ({
  /** of a cache-only key that is destroyed: whether its alarm was raised, or its owner destroyed it here */
  destruction_noticed: z.literal(true).optional(),
}))
export type StoredCrmSecret = z.infer<typeof StoredCrmSecret>

export const secretSet = (organization: string): string => `organization:${organization}`
/** The family of an organization's secrets, by the cloud's ids. */
export const secretsOfOrganization = (organization: string): string => `place:${organization}`
/** The family of the active secret of a type. */
export const activeOf = (organization: string, type: string): string => `active:${organization} ${type}`
/** The family of the secrets that a certificate wrapped. */
export const secretsOfCertificate = (certificate: string): string => `certificate:${certificate}`

/** The digest of a secret whose record describes it so. */
export const secretDigest = ({ organization_name, crm_param }: Digested): string =>
  readingDigest({ organization_name, crm_param })
type Digested = Pick<StoredCrmSecret, 'organization_name' | 'crm_param'>

/** Whether a reading changes only fields that the digest covers. A destroyed cache-only key may need an alarm first. */
const isSettled = ({ gone, unread, error_msg, destruction_noticed, crm_param: { status, source } }: StoredCrmSecret) =>
  !gone &&
  [unread, error_msg, destruction_noticed].every((mark) => mark === undefined) &&
  !(status === 'DESTROYED' && source === 'REMOTE')

/**
 * Reads served: a secret by id; by its organization and the cloud's id; all; those of an organization; the active one of
 * a type; those of a certificate; those with the material of a local key. Ours: a secret that its cloud no longer has is
 * kept, with `gone`.
 */
export const crmSecrets = entity({
  name: 'crm-key',
  schema: StoredCrmSecret,
  id: ({ id }) => id,
  sets: ({ organization_id }) => ['all', secretSet(organization_id)],
  families: (secret): Family[] => {
    const { id, organization_id, gone, local_key_id, certificate_id, crm_param: param } = secret
    return [
      {
        ...{ name: secretsOfOrganization(organization_id), key: param.crm_id, exclusive: true },
        ...(isSettled(secret) && { digest: secretDigest(secret) }),
      },
      ...(!gone && param.status === 'ACTIVE' ? [{ name: activeOf(organization_id, param.type), key: id }] : []),
      ...(certificate_id === undefined ? [] : [{ name: secretsOfCertificate(certificate_id), key: id }]),
      ...materialFamilies({ id, gone }, [local_key_id]),
    ]
  },
  row: ({ crm_param: param, ...secret }) => ({
    id: secret.id,
    name: secret.name,
    organization_id: secret.organization_id,
    organization_name: secret.organization_name,
    type: param.type,
    status: param.status,
    source: param.source,
    version: String(param.version),
    gone: secret.gone,
    key_material_origin: secret.key_material_origin,
    createdAt: secret.createdAt,
    ...JOINS_NO_CONFIG,
  }),
})
export type CrmSecretRow = ReturnType<typeof crmSecrets.row>

const StoredBackup = object(() => ({
  /** that of the secret's record */
  id: z.string(),
  organization_id: z.string(),
  /** the cloud's export of the secret, sealed under the domain's key */
  sealed: z.string(),
}))

/** Reads served: the backup of a secret by the id of its record; all. */
export const crmBackups = entity({
  name: 'crm-backup',
  schema: StoredBackup,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

/** The purpose for which a backup is sealed: it belongs to no other secret. */
export const backupPurpose = ({ id }: { readonly id: string }): string[] => ['crm-backup', id, 'value']
export const sealedBackups = sealingFieldAgain(crmBackups, 'all', backupPurpose)

/** A cache-only key as its data plane needs it. */
const StoredServedKey = object(() => ({
  /** `<organization> <kid>` */
  id: z.string(),
  organization_id: z.string(),
  kid: z.string(),
  /** id of the secret's record, which follows when the cloud has registered the key */
  key_id: z.string(),
  /** id of the version of the local key */
  local_key_id: z.string(),
  /** the certificate's key: SubjectPublicKeyInfo in DER, base64 */
  public_key: z.string(),
  /** whether a caller of this service destroyed it, and did not activate it since */
  destroyed: z.boolean(),
}))
export type StoredServedKey = z.infer<typeof StoredServedKey>

/** Reads served: a cache-only key by its organization and kid; all; those of an organization, by their kids. */
export const crmServedKeys = entity({
  name: 'crm-served-key',
  schema: StoredServedKey,
  id: ({ id }) => id,
  sets: () => ['all'],
  families: ({ organization_id, kid }): Family[] => [{ name: `served:${organization_id}`, key: kid }],
  row: () => ({}),
})
export const servedOf = (organization: string): string => `served:${organization}`
