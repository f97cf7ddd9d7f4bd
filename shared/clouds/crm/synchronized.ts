import { uuid } from '../../base/ids.ts'
import { isBeingMade } from '../../cloud/keys/being-made.ts'
import { synchronizedKeys } from '../../cloud/keys/synchronize.ts'
import { crm, crmCertificates } from './adapter.ts'
import type { CrmCertificateRead, CrmSecretRead } from './adapter/types.ts'
import { certificateKind, certificateRecord, refreshedCertificate, type CertificateTypes } from './certificates/kind.ts'
import { servedKeyId } from './keys/kid.ts'
import { noticeDestroyed, withDestructionNoticed } from './keys/notice-destroyed.ts'
import { refreshedSecret, secretKind, secretRecord, type SecretTypes } from './keys/kind.ts'
import { crmServedKeys, secretDigest } from './keys/store.ts'
import { CONTAINER_LIST } from './name.ts'

/** Ours: the secrets are in memory, so a comparison only reads the table. */
const KEYS_A_PAGE = 1_000

const MAY = { may: 'keysynchronize', containerList: CONTAINER_LIST }

/** Whether work of this service is about to record a secret that was found. */
async function isAboutToBeRecorded(domain: string, organization: string, { param, mark }: CrmSecretRead) {
  if (await isBeingMade(domain, mark)) return true
  const { RemoteKeyIdentifier: kid } = param
  const served = kid === undefined ? undefined : await crmServedKeys.get(domain, servedKeyId(organization, kid))
  return served !== undefined && (await isBeingMade(domain, served.item.key_id))
}

/** Tenant secrets of organizations. */
export const synchronizedSecrets = synchronizedKeys<SecretTypes, CrmSecretRead>(secretKind, {
  ...MAY,
  hasDigests: true,
  read: async ({ domain, stored: { item: organization }, place }) => ({
    survey: await crm.survey(place),
    keysAPage: KEYS_A_PAGE,
    refs: (cursor) => crm.refs(place, cursor),
    digestOf: ({ param }) => secretDigest({ organization_name: organization.name, crm_param: param }),
    refreshed: async (record, read, now) =>
      withDestructionNoticed(domain, refreshedSecret(record, read, now, organization.name)),
    changed: (changes, before, after, now) => noticeDestroyed(changes, domain, { before, after }, now),
    found: async (read, now) => {
      if (await isAboutToBeRecorded(domain, organization.id, read)) return undefined
      const key_material_origin = read.param.source === 'HSM' ? 'native' : 'unknown'
      const record = secretRecord(domain, organization, read, { id: uuid(now), key_material_origin, now })
      return withDestructionNoticed(domain, record) // no alarm for what happened before
    },
  }),
  noted: (organization, _regions, now) => ({ ...organization, refreshed_at: now.toISOString() }),
})

/** Certificates of organizations. */
export const synchronizedCertificates = synchronizedKeys<CertificateTypes, CrmCertificateRead>(certificateKind, {
  ...MAY,
  read: async ({ domain, stored: { item: organization }, place }) => ({
    survey: await crmCertificates.survey(place),
    refs: (cursor) => crmCertificates.refs(place, cursor),
    refreshed: (record, read, now) => refreshedCertificate(record, read, now, organization.name),
    found: (read, now) => Promise.resolve(certificateRecord(domain, organization, read, uuid(now), now)),
  }),
  noted: () => undefined,
})
