import { MADE } from '../../../cloud/contract.ts'
import { Refusal } from '../../../base/errors.ts'
import { everyRecord } from './client.ts'
import { createMetadata } from './metadata.ts'
import { surveyOf } from './secrets.ts'
import type { CrmCertificateRead, CrmCertificates, CrmPlace } from './types.ts'
import { Certificate, certificateRead, CERTIFICATES } from './wire.ts'

const everyCertificate = (place: CrmPlace) => everyRecord(place, CERTIFICATES, Certificate, true)

/** Every certificate of the organization that can be read. @throws Refusal CLOUD_… */
export const certificatesOf = async (place: CrmPlace): Promise<CrmCertificateRead[]> =>
  (await everyCertificate(place)).rows.map(certificateRead)

const readCertificate: CrmCertificates['read'] = async (place, ref) =>
  (await certificatesOf(place)).find((one) => one.ref === ref)

/** Made once: names are unique, so a second run finds the certificate of the first. */
const create: CrmCertificates['create'] = async (place, spec, journal) => {
  const named = async () => (await certificatesOf(place)).find(({ param }) => param.name === spec.name)
  const ref = await journal.step(
    MADE,
    async () => {
      await createMetadata(place, spec)
      const made = await named()
      if (made === undefined) throw new Refusal('CLOUD_UNREADABLE', 'Crm made a certificate that it does not list.')
      return made.ref
    },
    async () => (await named())?.ref,
  )
  const made = await readCertificate(place, ref)
  if (made === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'Crm no longer has the certificate that was made.')
  return made
}

/** Certificates of an organization. Ours: few, so all are read together. */
export const crmCertificates: CrmCertificates = {
  refs: async (place) => {
    const { rows, odd } = await everyCertificate(place)
    return { refs: [...rows.map(({ Id }) => Id), ...odd] }
  },
  read: readCertificate,
  survey: async (place) => {
    const { rows, odd } = await everyCertificate(place)
    return surveyOf(place, rows.map(certificateRead), odd)
  },
  create,
}
